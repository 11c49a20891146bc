// The functions and variables of an object by section and offset. At one place, functions come
// first, and what has no name before what has one.
#pragma once

#include <algorithm>
#include <numeric>
#include <ranges>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "linker/files/object_file.hpp"

namespace bpflink {

/// The bytes of a section that a symbol stands for, and whether they stay.
struct Extent {
  uint64_t begin, end;
  bool live = true;
};

/// Sorts extents of a section of `size` bytes. A symbol without a size (from assembly) extends to
/// the next one.
inline void sort_extents(std::vector<Extent>& extents, uint64_t size) {
  std::ranges::sort(extents, {}, &Extent::begin);
  uint64_t next = size;
  for (size_t i = extents.size(); i-- > 0;) {
    if (i + 1 < extents.size() && extents[i + 1].begin > extents[i].begin)
      next = extents[i + 1].begin;
    if (extents[i].end == extents[i].begin) extents[i].end = next;
  }
}

class SymbolsByPlace {
 public:
  explicit SymbolsByPlace(std::span<const InputSymbol> symbols) {
    std::vector<uint32_t> begins;  // in all_, by section; compilers order each section's symbols
    auto is_entity = [](const InputSymbol& symbol) {
      return symbol.is_in_section() && (symbol.type == STT_FUNC || symbol.type == STT_OBJECT);
    };
    for (const InputSymbol& symbol : symbols | std::views::filter(is_entity)) {
      if (begins.size() < symbol.section + 2uz) begins.resize(symbol.section + 2uz);
      ++begins[symbol.section + 1uz];
    }
    if (begins.empty()) return;
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    all_.resize(begins.back());
    std::vector<uint32_t> ends = begins;
    for (const InputSymbol& symbol : symbols | std::views::filter(is_entity))
      all_[ends[symbol.section]++] = &symbol;

    auto order = [](const InputSymbol* symbol) {
      return std::tuple(symbol->value, symbol->type != STT_FUNC, !symbol->name.empty(), symbol);
    };
    for (size_t section = 0; section + 1 < begins.size(); ++section) {
      std::ranges::subrange part(all_.begin() + begins[section], all_.begin() + ends[section]);
      if (!std::ranges::is_sorted(part, {}, order)) std::ranges::sort(part, {}, order);
    }
    const auto is_function = [](const InputSymbol* symbol) { return symbol->type == STT_FUNC; };
    functions_.reserve(static_cast<size_t>(std::ranges::count_if(all_, is_function)));
    variables_.reserve(all_.size() - functions_.capacity());
    for (const InputSymbol* symbol : all_)
      (is_function(symbol) ? functions_ : variables_).push_back(symbol);
  }

  std::span<const InputSymbol* const> functions() const { return functions_; }

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
