#include "linker/state/renaming.hpp"

#include <fmt/format.h>

#include "dedup/for_linker.hpp"
#include "linker/files/declarations.hpp"
#include "linker/files/object_types.hpp"

namespace bpflink {
namespace {

bool has_name_of_program(const ObjectFile& object, const InputSymbol& symbol) {
  if (symbol.name.empty() || symbol.is_section() || symbol.type == STT_FILE) return false;
  // Only their own file refers to jump tables by name.
  if (symbol.is_in_section() && object.sections[symbol.section].is_code_metadata()) return false;
  return !symbol.is_local() || symbol.type == STT_FUNC || symbol.type == STT_OBJECT;
}

std::optional<std::pair<std::string, std::string>> split(const std::string& text, size_t at) {
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) return std::nullopt;
  return std::pair(text.substr(0, at), text.substr(at + 1));
}

}  // namespace

std::optional<std::pair<std::string, std::string>> parse_redefinition(const std::string& text) {
  return split(text, text.find('='));
}

std::optional<std::pair<std::string, std::string>> parse_prefix(const std::string& text) {
  return split(text, text.rfind('='));
}

Renaming::Renaming(const LinkOptions& options) : options_(options) {
  for (const auto& [from, to] : options.redefine_symbols) redefinitions_[from] = {.name = to};
  for (const auto& [input, prefix] : options.prefix_symbols_of)
    prefixes_[input].list.push_back(prefix);
}

bool Renaming::is_idle() const {
  return redefinitions_.empty() && prefixes_.empty() && options_.prefix_symbols.empty();
}

std::string_view Renaming::next_prefix(const std::string& input) {
  auto found = prefixes_.find(input);
  if (found == prefixes_.end()) return "";
  auto& [list, taken] = found->second;
  return list[std::min(taken++, list.size() - 1)];
}

void Renaming::learn(const ObjectFile& object, std::string_view prefix) {
  if (prefix.empty()) return;
  auto& names = defined_[prefix];
  for (const InputSymbol& symbol : object.symbols)
    if (!symbol.is_local() && symbol.is_defined()) names.emplace(symbol.name);
}

std::expected<void, Error> Renaming::rename(ObjectFile& object, std::string_view prefix) {
  const auto provided = find_loader_names(object);
  // Declarations first: they are found by their symbols' old names.
  std::unordered_map<uint32_t, std::string> declarations;
  for (const BtfDeclaration& declaration : object.declarations) {
    std::string_view name = object.btf->name(declaration.type());
    if (name.empty() || provided.contains(name)) continue;
    // Without a global symbol it is static.
    bool is_defined =
        declaration.symbol_index == 0 || object.symbols[declaration.symbol_index].is_defined();
    if (auto renamed = new_name(name, is_defined, prefix))
      declarations.emplace(declaration.type_id, std::move(*renamed));
  }
  for (InputSymbol& symbol : object.symbols) {
    if (!has_name_of_program(object, symbol)) continue;
    if (provided.contains(symbol.name)) {
      note_loader_name(symbol.name);
      continue;
    }
    if (auto renamed = new_name(symbol.name, symbol.is_defined(), prefix))
      symbol.name = object.new_names.emplace_front(std::move(*renamed));
  }
  if (declarations.empty()) return {};
  return read_renamed_types(object, rename_types(object.btf_bytes, *object.btf, declarations));
}

std::optional<std::string> Renaming::new_name(std::string_view name, bool is_defined,
                                              std::string_view prefix) {
  std::string_view base = name;
  if (auto found = redefinitions_.find(name); found != redefinitions_.end()) {
    found->second.is_used = true;
    base = found->second.name;
  }
  auto group = defined_.find(prefix);
  bool is_of_group =
      is_defined || (group != defined_.end() && group->second.contains(std::string(name)));
  std::string renamed(is_of_group ? prefix : "");
  renamed.append(options_.prefix_symbols).append(base);
  if (renamed == name) return std::nullopt;
  return renamed;
}

void Renaming::note_loader_name(std::string_view name) {
  if (auto found = redefinitions_.find(name); found != redefinitions_.end())
    found->second.is_of_loader = true;
}

std::vector<std::string> Renaming::find_errors() const {
  std::vector<std::string> errors;
  for (const auto& [input, prefixes] : prefixes_) {
    if (prefixes.taken == 0)
      errors.push_back(fmt::format("--prefix-symbols-of {}={}: no input is called {}", input,
                                   prefixes.list.front(), input));
    else if (prefixes.taken < prefixes.list.size())
      errors.push_back(fmt::format(
          "--prefix-symbols-of {}={}: {} has more prefixes than it is given: give it once for each",
          input, prefixes.list.back(), input));
  }
  return errors;
}

std::vector<std::string> Renaming::find_warnings() const {
  std::vector<std::string> warnings;
  for (const auto& [from, to] : options_.redefine_symbols) {
    const Redefinition& redefinition = redefinitions_.at(from);
    if (redefinition.is_of_loader)
      warnings.push_back(fmt::format(
          "--redefine-sym {}={}: the loader provides '{}', under this name only", from, to, from));
    else if (!redefinition.is_used)
      warnings.push_back(
          fmt::format("--redefine-sym {}={}: no input has a symbol '{}'", from, to, from));
  }
  return warnings;
}

}  // namespace bpflink
