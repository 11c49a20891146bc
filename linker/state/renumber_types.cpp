#include "linker/state/renumber_types.hpp"

#include "linker/state/context.hpp"

namespace bpflink {

bool may_renumber_types(const Context& context) {
  const BtfView types = *context.btf;
  for (uint32_t id = types.first_id(); id < types.end_id(); ++id)
    if (!is_known(types.kind(id))) return false;
  return true;
}

void renumber_types(Context& context, const TypeMap& ids) {
  for (auto& object : context.objects)
    if (object->btf)
      for (uint32_t id = 1; id < object->type_map.end_id(); ++id)
        object->type_map.set(id, ids[object->type_map[id]]);
  for (Symbol* symbol : context.symbols.all()) symbol->output_btf_id = ids[symbol->output_btf_id];
  for (OutputFunction& function : context.functions)
    function.synthesized_func = ids[function.synthesized_func];
}

}  // namespace bpflink
