// The functions and variables of an object by section and offset. At one place, functions come
// first.
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "linker/object/object_file.hpp"

namespace bpflink {

class SymbolsByPlace {
 public:
  explicit SymbolsByPlace(const ObjectFile& object) {
    for (const InputSymbol& symbol : object.symbols)
      if (symbol.is_in_section() && (symbol.type == STT_FUNC || symbol.type == STT_OBJECT))
        entries_.push_back(&symbol);
    std::ranges::stable_sort(entries_, {}, [](const InputSymbol* symbol) {
      return std::pair(key(symbol), symbol->type != STT_FUNC);
    });
    std::ranges::copy_if(entries_, std::back_inserter(functions_),
                         [](const InputSymbol* symbol) { return symbol->type == STT_FUNC; });
  }

  /// Calls `visit(symbol)` for each that begins in [begin, end) of a section.
  template <typename Visit>
  void for_each_in(const InputSection& section, uint64_t begin, uint64_t end, Visit visit) const {
    auto first = std::ranges::lower_bound(entries_, std::pair{section.index, begin}, {}, key);
    for (auto entry = first; entry != entries_.end() && key(*entry) < std::pair{section.index, end};
         ++entry)
      visit(**entry);
  }

  /// The function that contains `offset` of a section, or null.
  const InputSymbol* find_function(uint32_t section, uint64_t offset) const {
    auto after = std::ranges::upper_bound(functions_, std::pair{section, offset}, {}, key);
    if (after == functions_.begin()) return nullptr;
    const InputSymbol* function = *std::prev(after);
    bool is_inside = function->section == section && offset - function->value < function->size;
    return is_inside ? function : nullptr;
  }

 private:
  static std::pair<uint32_t, uint64_t> key(const InputSymbol* symbol) {
    return {symbol->section, symbol->value};
  }
  std::vector<const InputSymbol*> entries_, functions_;
};

}  // namespace bpflink
