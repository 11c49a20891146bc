// The functions and variables of an object by section and offset.
#pragma once

#include <algorithm>
#include <vector>

#include "linker/elf/object_file.hpp"

namespace bpflink {

class SymbolsByPlace {
 public:
  explicit SymbolsByPlace(const ObjectFile& object) {
    for (const InputSymbol& symbol : object.symbols)
      if (symbol.place == InputSymbol::Place::Section &&
          (symbol.type == STT_FUNC || symbol.type == STT_OBJECT))
        entries_.push_back(&symbol);
    std::ranges::stable_sort(entries_, {}, key);
  }

  /// Calls `visit(symbol)` for each that begins in [begin, end) of a section.
  template <typename Visit>
  void for_each_in(const InputSection& section, uint64_t begin, uint64_t end, Visit visit) const {
    auto first = std::ranges::lower_bound(entries_, std::pair{section.index, begin}, {}, key);
    for (auto entry = first; entry != entries_.end() && key(*entry) < std::pair{section.index, end};
         ++entry)
      visit(**entry);
  }

 private:
  static std::pair<uint32_t, uint64_t> key(const InputSymbol* symbol) {
    return {symbol->section, symbol->value};
  }
  std::vector<const InputSymbol*> entries_;
};

}  // namespace bpflink
