#include <algorithm>

#include "linker/files/references.hpp"
#include "linker/program/object_contents.hpp"

namespace bpflink {

ObjectIndex::ObjectIndex(const ObjectFile& object)
    : file(object), symbols_(object.sections.size()), of_symbol_(object.symbols.size()) {
  for (const InputSymbol& symbol : file.symbols)
    if (symbol.is_in_section() && !symbol.is_section() && !symbol.name.empty())
      symbols_[symbol.section].push_back(&symbol);
  for (auto& symbols : symbols_) std::ranges::stable_sort(symbols, {}, &InputSymbol::value);
  for (const BtfDeclaration& declaration : file.declarations) {
    if (declaration.symbol_index != 0)
      of_symbol_[declaration.symbol_index] = &declaration;
    else
      statics_.emplace(file.btf->name(declaration.type()), &declaration);
  }
  for (uint32_t id : file.datasecs) datasecs_.emplace(file.btf->name(file.btf->type(id)), id);
}

const BtfDeclaration* ObjectIndex::declaration_of(const InputSymbol& symbol) const {
  if (!symbol.is_local()) return of_symbol_[static_cast<size_t>(&symbol - file.symbols.data())];
  const BtfDeclaration* any = nullptr;
  auto [begin, end] = statics_.equal_range(symbol.name);
  for (auto entry = begin; entry != end; ++entry) {
    const BtfDeclaration& declaration = *entry->second;
    if (declaration.datasec != file.sections[symbol.section].name) continue;
    if (declaration.offset == symbol.value) return &declaration;
    if (!any) any = &declaration;
  }
  return any;
}

uint32_t ObjectIndex::datasec(std::string_view name) const {
  auto found = datasecs_.find(name);
  return found == datasecs_.end() ? 0 : found->second;
}

const InputSymbol* ObjectIndex::pointee(const Relocation& relocation) const {
  Target target = target_of(file, relocation);
  if (target.symbol || !target.place.section) return target.symbol;
  const auto& candidates = symbols_[target.place.section->index];
  auto value = static_cast<uint64_t>(target.place.offset);
  for (auto found = std::ranges::lower_bound(candidates, value, {}, &InputSymbol::value);
       found != candidates.end() && (*found)->value == value; ++found)
    if ((*found)->type == STT_FUNC || (*found)->type == STT_OBJECT) return *found;
  return nullptr;
}

}  // namespace bpflink
