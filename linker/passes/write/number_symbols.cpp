// Pass: number the output's symbols.
//
// Section symbols come first, then other local symbols, then global ones, as ELF requires.
#include <set>
#include <tuple>

#include "linker/state/context.hpp"

namespace bpflink {
namespace {

/// Chooses the local symbols of the output.
class LocalSymbols {
 public:
  LocalSymbols(const Context& context, ObjectFile& object)
      : options_(context.options), object_(object) {
    if (options_.discard_locals) find_named_by_relocations();
  }

  /// Whether the symbol is a local symbol of the output: it was local, or it lost and its bytes
  /// stay.
  bool stays(uint32_t index) {
    const InputSymbol& symbol = object_.symbols[index];
    if (symbol.is_section() || symbol.name.empty() || !symbol.is_defined()) return false;
    bool lost = lost_resolution(object_, index);
    if (!symbol.is_local() && !lost) return false;
    if (symbol.is_absolute) return !lost && symbol.type != STT_FILE;
    const InputSection& section = object_.sections[symbol.section];
    if (section.same_as || !place_of(section, symbol.value)) return false;
    if (options_.discard_locals && symbol.type != STT_FUNC && !named_[index]) return false;
    return !lost || !has_other_name(symbol);
  }

 private:
  void find_named_by_relocations() {
    named_.resize(object_.symbols.size());
    for (const InputSection& section : object_.linked_sections())
      for (const Relocation& relocation : section.relocations) named_[relocation.symbol] = true;
  }

  /// Whether the symbol's function or object has another name in the output. Then a losing alias is
  /// dropped, although its bytes stay.
  bool has_other_name(const InputSymbol& symbol) {
    auto key = [](const InputSymbol& s) { return std::tuple{s.section, s.value, s.type}; };
    if (!has_winners_) {
      has_winners_ = true;
      for (uint32_t i = 1; i < object_.symbols.size(); ++i) {
        const InputSymbol& other = object_.symbols[i];
        bool is_entity = other.type == STT_FUNC || other.type == STT_OBJECT;
        if (is_entity && other.is_in_section() && !lost_resolution(object_, i))
          winners_.insert(key(other));
      }
    }
    return winners_.contains(key(symbol));
  }

  const LinkOptions& options_;
  ObjectFile& object_;
  std::vector<bool> named_;
  bool has_winners_ = false;
  std::set<std::tuple<uint32_t, uint64_t, uint8_t>> winners_;
};

/// Whether the output section has a symbol of its own. In "maps", aya takes each symbol for a map:
/// there it has one only if a relocation needs it.
bool needs_symbol(const Context& context, const OutputSection& output) {
  if (output.role != SectionRole::LegacyMaps) return true;
  for (const auto& object : context.objects)
    for (const InputSection& section : object->linked_sections())
      for (const Relocation& relocation : section.relocations) {
        const InputSymbol& target = object->symbols[relocation.symbol];
        bool is_by_place = target.is_section() || !section.is_loaded();
        if (is_by_place && target.is_in_section() &&
            object->sections[target.section].role == SectionRole::LegacyMaps)
          return true;
      }
  return false;
}

}  // namespace

void number_symbols(Context& context) {
  uint32_t next = 1, index = 1;
  for (auto& section : context.sections) {
    section->index = index++;
    if (needs_symbol(context, *section)) section->symbol_index = next++;
  }
  for (auto& object : context.objects) {
    LocalSymbols locals(context, *object);
    uint32_t file_symbol = 0;
    for (uint32_t i = 1; i < object->symbols.size(); ++i) {
      InputSymbol& symbol = object->symbols[i];
      if (symbol.type == STT_FILE && symbol.is_local()) file_symbol = i;
      if (!locals.stays(i)) continue;
      // The STT_FILE symbol precedes the first symbol of its file.
      if (file_symbol != 0 && !context.options.discard_locals)
        object->symbols[file_symbol].output_index = next++;
      file_symbol = 0;
      symbol.output_index = next++;
    }
  }
  for (Symbol* symbol : context.symbols.all())
    if (symbol->in_output && symbol->is_localized) symbol->output_index = next++;
  for (Symbol* symbol : context.symbols.all())
    if (symbol->in_output && !symbol->is_localized) symbol->output_index = next++;
}

}  // namespace bpflink
