// Pass: types that linking has made useless.
//
// Prototypes of externs that were bound, types of definitions that lost: what only these led to
// has no use in the output, and goes. What nothing led to in an input was put there by somebody
// who knows why, and stays.
//
// What leads to a type in an input does so in the output, too, as equal types refer to equal ones.
// So that is looked for there, once for all objects.
#include <algorithm>
#include <vector>

#include "dedup/internal.hpp"
#include "linker/context.hpp"
#include "linker/types/renumber_types.hpp"
#include "linker/types/used_types.hpp"

namespace bpflink {
namespace {

/// What the objects keep, by id of the output, and what that leads to.
std::vector<bool> find_kept(const Context& context,
                            const std::vector<std::vector<bool>>& forgotten) {
  const BtfBuilder& btf = *context.btf;
  std::vector<bool> kept(btf.end_id());
  kept[0] = true;
  std::vector<uint32_t> pending;
  auto keep = [&](uint32_t id) {
    if (kept[id]) return;
    kept[id] = true;
    pending.push_back(id);
  };
  for (size_t i = 0; i < context.objects.size(); ++i) {
    const ObjectFile& object = *context.objects[i];
    if (!object.btf) continue;
    for (uint32_t id = 1; id < object.type_map.end_id(); ++id)
      if (forgotten[i].empty() || !forgotten[i][id]) keep(object.type_map[id]);
  }
  while (!pending.empty()) {
    uint32_t id = pending.back();
    pending.pop_back();
    for_each_reference(btf.type(id).words(), [&](uint32_t reference) { keep(reference); });
  }
  // Tags go with what they are put on, which may be kept for the sake of another object.
  for (uint32_t id = btf.first_id(); id < btf.end_id(); ++id)
    if (btf.type(id).kind() == BtfKind::DeclTag) kept[id] = kept[btf.type(id).type()];
  return kept;
}

}  // namespace

void forget_types(Context& context) {
  if (!context.btf) return;
  std::vector<std::vector<bool>> forgotten;
  bool is_any = false;
  for (auto& object : context.objects) {
    forgotten.push_back(object->btf ? find_forgotten_types(*object) : std::vector<bool>());
    is_any |= !forgotten.back().empty();
  }
  if (!is_any || !may_renumber_types(context)) return;
  std::vector<bool> kept = find_kept(context, forgotten);
  if (std::ranges::find(kept, false) == kept.end()) return;
  renumber_types(context, TypeMap(0, keep_types(*context.btf, kept)));
}

}  // namespace bpflink
