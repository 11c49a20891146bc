// The functions and variables of an object by section and offset. At one place, functions come
// first, and what has no name before what has one.
#pragma once

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "linker/object/object_file.hpp"

namespace bpflink {

class SymbolsByPlace {
 public:
  explicit SymbolsByPlace(std::span<const InputSymbol> symbols) {
    for (Symbols* list : {&all_, &functions_, &variables_}) list->reserve(symbols.size());
    for (const InputSymbol& symbol : symbols)
      if (symbol.is_in_section() && (symbol.type == STT_FUNC || symbol.type == STT_OBJECT))
        all_.push_back(&symbol);
    auto order = [](const InputSymbol* symbol) {
      return std::tuple(key(symbol), symbol->type != STT_FUNC, !symbol->name.empty(), symbol);
    };
    if (!std::ranges::is_sorted(all_, {}, order)) std::ranges::sort(all_, {}, order);
    for (const InputSymbol* symbol : all_)
      (symbol->type == STT_FUNC ? functions_ : variables_).push_back(symbol);
  }

  /// Calls `visit(symbol)` for each that begins in [begin, end) of a section.
  template <typename Visit>
  void for_each_in(const InputSection& section, uint64_t begin, uint64_t end, Visit visit) const {
    auto first = std::ranges::lower_bound(all_, std::pair{section.index, begin}, {}, key);
    for (auto entry = first; entry != all_.end() && key(*entry) < std::pair{section.index, end};
         ++entry)
      visit(**entry);
  }

  /// The function or variable that contains `offset` of a section, or null.
  const InputSymbol* find_function(uint32_t section, uint64_t offset) const {
    return containing(functions_, section, offset);
  }
  const InputSymbol* find_variable(uint32_t section, uint64_t offset) const {
    return containing(variables_, section, offset);
  }
  /// Whether a function with a name begins there.
  bool begins_function(uint32_t section, uint64_t offset) const {
    const InputSymbol* last = last_up_to(functions_, section, offset);
    return last && key(last) == std::pair{section, offset} && !last->name.empty();
  }

 private:
  using Symbols = std::vector<const InputSymbol*>;

  static std::pair<uint32_t, uint64_t> key(const InputSymbol* symbol) {
    return {symbol->section, symbol->value};
  }
  static const InputSymbol* last_up_to(const Symbols& list, uint32_t section, uint64_t offset) {
    auto after = std::ranges::upper_bound(list, std::pair{section, offset}, {}, key);
    return after == list.begin() ? nullptr : *(after - 1);
  }
  static const InputSymbol* containing(const Symbols& list, uint32_t section, uint64_t offset) {
    const InputSymbol* last = last_up_to(list, section, offset);
    bool is_inside = last && last->section == section && offset - last->value < last->size;
    return is_inside ? last : nullptr;
  }

  Symbols all_, functions_, variables_;
};

}  // namespace bpflink
