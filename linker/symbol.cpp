#include "linker/symbol.hpp"

#include <xxhash.h>

namespace bpflink {

SymbolTable::SymbolTable() : by_name_(&memory_) {}

size_t SymbolTable::Hash::operator()(std::string_view name) const noexcept {
  return XXH3_64bits(name.data(), name.size());
}

Symbol& SymbolTable::intern(std::string_view name) {
  auto [entry, is_new] = by_name_.try_emplace(name);
  if (is_new) {
    entry->second.name = name;
    order_.push_back(&entry->second);
  }
  return entry->second;
}

Symbol* SymbolTable::find(std::string_view name) {
  auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &found->second;
}

}  // namespace bpflink
