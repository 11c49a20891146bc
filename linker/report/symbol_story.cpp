#include "linker/report/symbol_story.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bpflink/print.hpp"
#include "linker/diagnostics/locations.hpp"
#include "linker/diagnostics/printable.hpp"
#include "linker/diagnostics/symbol_hints.hpp"
#include "linker/report/type_story.hpp"

namespace bpflink {
namespace {

constexpr size_t most_users = 5;  ///< files listed by name

/// Text of several lines, all but the first below the second column.
std::string lines(std::string_view what, std::string_view text) {
  size_t end = text.find('\n');
  std::string result = story_line(what, text.substr(0, end));
  while (end != text.npos) {
    text.remove_prefix(end + 1);
    end = text.find('\n');
    result += story_line("", text.substr(0, end));
  }
  return result;
}

/// "a.o:(.text+0x10), a.bpf.c:3".
std::string describe_definition(const ObjectFile& object, const InputSymbol& symbol) {
  if (symbol.place != InputSymbol::Place::Section) return object.name;
  const InputSection& section = object.sections[symbol.section];
  std::string text = object.describe_place(section, symbol.value);
  DiagnosticLocation place = location_of(object, section, symbol.value);
  return place.line == 0 ? text : fmt::format("{}, {}:{}", text, place.source, place.line);
}

std::string why_lost(const InputSymbol& loser, const Symbol& winner) {
  if (loser.binding != STB_WEAK) return fmt::format("says the same as {}", winner.file->name);
  return winner.binding == STB_WEAK
             ? fmt::format("weak, and so is that of {}, which comes first", winner.file->name)
             : fmt::format("weak, and that of {} is not", winner.file->name);
}

std::string join(std::vector<std::string> names) {
  size_t more = names.size() - std::min(names.size(), most_users);
  names.resize(names.size() - more);
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  return more == 0 ? text : fmt::format("{} and {} more", text, more);
}

}  // namespace

/// What a map is; or the type that an object's BTF gives a function or variable, as C; "" where it
/// has none.
std::string SymbolStory::describe_type(const ObjectFile& object, std::string_view name) const {
  auto map = std::ranges::find(model_.maps, name, &MapCost::name);
  if (map != model_.maps.end()) {
    std::string key = map->key.empty() ? fmt::format("{} bytes", map->key_size) : map->key;
    std::string value = map->value.empty() ? fmt::format("{} bytes", map->value_size) : map->value;
    return story_line(
        "type", fmt::format("map {} of {} entries, {} to {}", map->type, map->entries, key, value));
  }
  if (!object.btf) return "";
  for (const BtfDeclaration& declaration : object.declarations)
    if (object.btf->name(declaration.type()) == name)
      return lines("type", print_c_declaration(*object.btf, declaration.type().type(), name));
  return "";
}

std::string SymbolStory::explain(std::string_view name) const {
  std::string text;
  for (const Symbol* symbol : context_.symbols.all())
    if (symbol->name == name) text += explain_global(*symbol);
  for (const auto& object : context_.objects)
    for (const InputSymbol& symbol : object->symbols)
      if (symbol.is_local() && symbol.name == name && symbol.place == InputSymbol::Place::Section &&
          !symbol.is_section())
        text += explain_local(*object, symbol);
  text += explain_types(model_, name);
  if (!text.empty()) return text;
  const Symbol* nearest = find_nearest_definition(context_, name);
  std::string similar = nearest ? std::string(nearest->name) : find_similar_type(model_, name);
  if (!similar.empty()) similar = fmt::format(", did you mean {}?", similar);
  return printable(fmt::format("{}: no input has a symbol or type of this name{}", name, similar)) +
         '\n';
}

std::string SymbolStory::explain_global(const Symbol& symbol) const {
  std::string text = printable(symbol.name) + '\n';
  if (symbol.is_defined)
    text += story_line("defined by", describe_definition(*symbol.file, symbol.input()));
  else if (symbol.loader_section.empty())
    text += story_line("defined by", "nobody");
  else
    text += story_line("defined by", fmt::format("the loader ({})", symbol.loader_section));
  std::vector<std::string> users;
  for (const auto& object : context_.objects)
    for (uint32_t i = 1; i < object->symbols.size(); ++i) {
      const InputSymbol& other = object->symbols[i];
      if (other.global != &symbol) continue;
      if (lost_resolution(*object, i))
        text += story_line("gave way", fmt::format("{}: {}", describe_definition(*object, other),
                                                   why_lost(other, symbol)));
      else if (!other.is_defined())
        users.push_back(object->name);
    }
  if (!users.empty()) text += story_line("declared by", join(std::move(users)));
  if (symbol.is_defined)
    text += explain_place(*symbol.file, symbol.input());
  else
    text +=
        story_line("in the output", symbol.in_output ? "as an extern" : "no: nothing refers to it");
  const ObjectFile& typed = symbol.btf_file ? *symbol.btf_file : *symbol.file;
  return text + describe_type(typed, symbol.name);
}

std::string SymbolStory::explain_local(const ObjectFile& object, const InputSymbol& symbol) const {
  return printable(symbol.name) + '\n' +
         story_line("defined by", describe_definition(object, symbol) + ", static") +
         explain_place(object, symbol) + describe_type(object, symbol.name);
}

std::string SymbolStory::explain_place(const ObjectFile& object, const InputSymbol& symbol) const {
  if (symbol.place != InputSymbol::Place::Section)
    return story_line("in the output", "as a number");
  const InputSection& section = object.sections[symbol.section];
  auto place = place_of(section, symbol.value);
  if (!place) return story_line("in the output", "no: not reached from any root");
  return story_line("in the output", fmt::format("{}+{:#x}, {} bytes", place->section->name,
                                                 place->offset, symbol.size)) +
         explain_why_kept(*place);
}

std::string SymbolStory::explain_why_kept(OutputPlace place) const {
  uint32_t part = parts_.find(place.section->index, place.offset);
  if (part == no_node) return "";
  uint32_t node = nodes_[part], first = node;
  while (model_.nodes[first].needed_by != 0) first = model_.nodes[first].needed_by;
  const std::string& why = model_.nodes[first].root;
  if (why.empty())
    return story_line("kept by", context_.options.gc_sections
                                     ? "what has no reference to it, such as a tag or a table"
                                     : "nothing: --gc-sections would drop it");
  return story_line("kept by", first == node ? fmt::format("being a root: {}", why)
                                             : describe_chain(model_, node));
}

}  // namespace bpflink
