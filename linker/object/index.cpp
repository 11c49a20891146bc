#include <algorithm>

#include "linker/object/contents.hpp"
#include "linker/object/references.hpp"

namespace bpflink {

ObjectIndex::ObjectIndex(const ObjectFile& object)
    : file(object), symbols_(object.sections.size()) {
  for (const InputSymbol& symbol : file.symbols)
    if (symbol.is_in_section() && !symbol.is_section() && !symbol.name.empty())
      symbols_[symbol.section].push_back(&symbol);
  for (auto& symbols : symbols_) std::ranges::stable_sort(symbols, {}, &InputSymbol::value);
  if (!file.btf) return;
  for (uint32_t id = 1; id < file.btf->end_id(); ++id) {
    BtfType type = file.btf->type(id);
    if (type.kind() == BtfKind::Func) funcs_.emplace(file.btf->name(type), id);
    if (type.kind() == BtfKind::Datasec) datasecs_.emplace(file.btf->name(type), id);
  }
}

uint32_t ObjectIndex::func(std::string_view name) const {
  auto found = funcs_.find(name);
  return found == funcs_.end() ? 0 : found->second;
}

SectionVars ObjectIndex::vars(std::string_view section) const {
  SectionVars vars;
  auto found = datasecs_.find(section);
  if (found == datasecs_.end()) return vars;
  vars.datasec_id = found->second;
  BtfType datasec = file.btf->type(found->second);
  for (uint32_t i = 0; i < datasec.vlen(); ++i) {
    BtfVarSecinfo entry = datasec.var_secinfo(i);
    vars.by_name.emplace(file.btf->name(file.btf->type(entry.type)), entry);
  }
  return vars;
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

uint32_t var_of(const SectionVars& vars, const InputSymbol& symbol) {
  uint32_t any = 0;
  auto [begin, end] = vars.by_name.equal_range(symbol.name);
  for (auto entry = begin; entry != end; ++entry) {
    any = entry->second.type;
    if (entry->second.offset == symbol.value) break;
  }
  return any;
}

}  // namespace bpflink
