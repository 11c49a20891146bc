#include "linker/state/symbol.hpp"

namespace bpflink {

bool is_typeless(const BtfView& btf, uint32_t id) {
  BtfType type = btf.type(id);
  if (type.kind() != BtfKind::Var) return false;
  // The loop ends: parse() rejects cycles of these kinds.
  while (type.type() != 0) {
    type = btf.type(type.type());
    if (type.kind() != BtfKind::Const && type.kind() != BtfKind::Volatile) return false;
  }
  return true;
}

uint32_t SymbolTable::find(std::string_view name, uint32_t hash) const {
  return index_.find(hash, [&](uint32_t position) { return order_[position - 1]->name == name; });
}

Symbol& SymbolTable::intern(std::string_view name) {
  uint32_t hash = hash_bytes(name.data(), name.size());
  if (uint32_t position = find(name, hash); position != 0) return *order_[position - 1];
  Symbol& symbol = symbols_.emplace_back();
  symbol.name = name;
  order_.push_back(&symbol);
  index_.insert(hash, static_cast<uint32_t>(order_.size()));
  return symbol;
}

Symbol* SymbolTable::find(std::string_view name) const {
  uint32_t position = find(name, hash_bytes(name.data(), name.size()));
  return position == 0 ? nullptr : order_[position - 1];
}

}  // namespace bpflink
