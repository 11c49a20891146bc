// Why symbols and types are in the output, or are not (--explain).
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ranges>

#include "bpflink/print.hpp"
#include "dedup/for_linker.hpp"
#include "dedup/messages.hpp"
#include "linker/error.hpp"
#include "linker/report/model.hpp"
#include "linker/report/output_parts.hpp"
#include "linker/report/reports.hpp"
#include "linker/state/symbol_hints.hpp"
#include "linker/text/locations.hpp"

namespace bpflink {
namespace {

constexpr size_t max_users = 5;  ///< files listed by name

/// The kinds of nodes, by the words of --explain.
constexpr std::pair<std::string_view, std::string_view> kinds[] = {
    {"struct", "struct"},   {"union", "union"},        {"enum", "enum"},
    {"typedef", "typedef"}, {"func", "function type"}, {"var", "variable type"}};

/// What the user asks for: a name, and a kind or "".
struct Wanted {
  std::string_view kind, name;

  explicit Wanted(std::string_view what) : name(what) {
    for (auto [word, node_kind] : kinds)
      if (what.starts_with(word) && what.substr(word.size()).starts_with(' ')) {
        kind = node_kind;
        name = what.substr(word.size() + 1);
      }
  }

  bool may_be(const Node& node) const {
    if (!kind.empty()) return node.kind == kind;
    constexpr std::array of_c = {"struct", "union", "enum", "typedef", "integer", "float"};
    return std::ranges::find(of_c, node.kind) != of_c.end();
  }
};

/// The name of a type that is spelled almost alike, or "".
std::string find_similar_type(const OutputModel& model, std::string_view what) {
  Wanted wanted(what);
  NearestName similar(wanted.name);
  for (const Node& node : model.nodes)
    if (wanted.may_be(node)) similar.consider(node.name);
  std::string_view name = similar.nearest();
  return name.empty()
             ? ""
             : std::string(what.substr(0, what.size() - wanted.name.size())) + std::string(name);
}

/// A line of an explanation: the subject in the first column, text in the second.
std::string story_line(std::string_view what, std::string_view text) {
  return fmt::format("  {:<13} {}\n", what, printable(text));
}

/// Several lines of text, all in the second column.
std::string story_lines(std::string_view what, std::string_view text) {
  std::string result;
  for (auto line : std::views::split(text, '\n'))
    result += story_line(result.empty() ? what : "", std::string_view(line.begin(), line.end()));
  return result;
}

/// "a.o:(.text+0x10), a.bpf.c:3".
std::string describe_definition(const ObjectFile& object, const InputSymbol& symbol) {
  if (!symbol.is_in_section()) return object.name;
  const InputSection& section = object.sections[symbol.section];
  std::string text = object.describe_place(section, symbol.value);
  DiagnosticLocation place = location_of(object, section, symbol.value);
  return place.line == 0 ? text : fmt::format("{}, {}:{}", text, place.source, place.line);
}

std::string why_lost(const InputSymbol& loser, const Symbol& winner) {
  if (loser.binding != STB_WEAK) return fmt::format("the same as in {}", winner.file->name);
  return winner.binding == STB_WEAK
             ? fmt::format("weak, as in {}, which comes first", winner.file->name)
             : fmt::format("weak, and {} has a strong one", winner.file->name);
}

class SymbolStory {
 public:
  SymbolStory(const Context& context, const OutputParts& parts)
      : context_(context), parts_(parts), model_(*context.model) {}

  std::expected<std::string, Error> explain(std::string_view name) const {
    std::string text;
    for (const Symbol* symbol : context_.symbols.all())
      if (symbol->name == name) text += explain_global(*symbol);
    for (const auto& object : context_.objects)
      for (const InputSymbol& symbol : object->symbols)
        if (symbol.is_local() && symbol.name == name && symbol.is_in_section() &&
            !symbol.is_section())
          text += explain_local(*object, symbol);
    for (const DroppedPart& part : context_.optimized_away)
      if (part.name == name)
        text += printable(name) + '\n' + story_line("defined by", printable(part.file)) +
                story_line("in the output", "no: " + part.reason);
    text += explain_types(model_, name);
    if (!text.empty()) return text;
    const Symbol* nearest = find_nearest_definition(context_, name);
    std::string similar = nearest ? std::string(nearest->name) : find_similar_type(model_, name);
    if (!similar.empty()) similar = fmt::format(", did you mean {}?", similar);
    return fail("--explain {}: no input has a symbol or type of this name{}", name, similar);
  }

 private:
  std::string explain_global(const Symbol& symbol) const {
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
          text += story_line(
              "overridden",
              fmt::format("{}: {}", describe_definition(*object, other), why_lost(other, symbol)));
        else if (!other.is_defined())
          users.push_back(object->name);
      }
    if (!users.empty()) text += story_line("declared by", list_of(users, max_users));
    if (symbol.is_defined)
      text += explain_place(*symbol.file, symbol.input());
    else
      text += story_line("in the output",
                         symbol.in_output ? "as an extern" : "no: nothing refers to it");
    return text + describe_type(symbol.btf_file ? *symbol.btf_file : *symbol.file, symbol.name);
  }

  std::string explain_local(const ObjectFile& object, const InputSymbol& symbol) const {
    return printable(symbol.name) + '\n' +
           story_line("defined by", describe_definition(object, symbol) + ", static") +
           explain_place(object, symbol) + describe_type(object, symbol.name);
  }

  std::string explain_place(const ObjectFile& object, const InputSymbol& symbol) const {
    if (!symbol.is_in_section()) return story_line("in the output", "as a number");
    auto place = place_of(object.sections[symbol.section], symbol.value);
    if (!place) return story_line("in the output", "no: not reached from any root");
    return story_line("in the output", fmt::format("{}+{:#x}, {}", place->section->name,
                                                   place->offset, count_of(symbol.size, "byte"))) +
           explain_why_kept(*place);
  }

  std::string explain_why_kept(OutputPlace place) const {
    uint32_t part = parts_.find(place.section->index, place.offset);
    if (part == no_node) return "";
    uint32_t node = parts_.parts[part].node, first = node;
    while (model_.nodes[first].needed_by != 0) first = model_.nodes[first].needed_by;
    std::string_view root = model_.nodes[first].root;
    if (root.empty())
      return story_line("kept by", context_.options.gc_sections
                                       ? "what has no reference to it, such as a tag or a table"
                                       : "nothing: --gc-sections would drop it");
    return story_line("kept by", first == node ? fmt::format("itself: a root ({})", root)
                                               : describe_chain(model_, node));
  }

  /// The attributes of a map; or the type of a function or variable as C, "" if the object's BTF
  /// has none.
  std::string describe_type(const ObjectFile& object, std::string_view name) const {
    auto map = std::ranges::find(model_.maps, name, &MapCost::name);
    if (map != model_.maps.end()) {
      auto type = [](const std::string& c, uint32_t size) {
        return c.empty() ? count_of(size, "byte") : c;
      };
      return story_line(
          "type", fmt::format("map {} of {} {}, {} to {}", map->type, map->entries,
                              agree(map->entries, "entry", "entries"),
                              type(map->key, map->key_size), type(map->value, map->value_size)));
    }
    if (!object.btf) return "";
    for (const BtfDeclaration& declaration : object.declarations)
      if (object.btf->name(declaration.type()) == name)
        return story_lines("type",
                           print_c_declaration(*object.btf, declaration.type().type(), name));
    return "";
  }

  const Context& context_;
  const OutputParts& parts_;
  const OutputModel& model_;
};

/// Why a type is there that no chain of shown nodes leads to.
std::string explain_first(const Node& node) {
  std::string_view start = node.chain_start;
  if (start.empty()) return "itself: nothing refers to it";
  if (start == "circle") return "a circle of references, to which nothing else refers";
  return fmt::format("{} {} that nothing refers to", start == "array" ? "an" : "a", start);
}

}  // namespace

std::string explain_types(const OutputModel& model, std::string_view what) {
  Wanted wanted(what);
  std::string text;
  for (uint32_t i = 1; i < model.nodes.size(); ++i) {
    const Node& node = model.nodes[i];
    if (node.name != wanted.name || !wanted.may_be(node)) continue;
    text += printable(describe(node)) + '\n';
    text +=
        story_line("kept by", node.needed_by == 0 ? explain_first(node) : describe_chain(model, i));
    if (node.input != no_node) text += story_line("from", model.inputs[node.input].name);
    text += story_line("bytes", node.brings == node.bytes
                                    ? grouped(node.bytes)
                                    : fmt::format("{}, and {} with what only it needs",
                                                  grouped(node.bytes), grouped(node.brings)));
  }
  return text;
}

std::expected<std::string, Error> explain_name(const Context& context, const OutputParts& parts,
                                               std::string_view name) {
  return SymbolStory(context, parts).explain(name);
}

}  // namespace bpflink
