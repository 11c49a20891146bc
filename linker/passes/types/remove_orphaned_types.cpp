// Pass: remove types that only bound externs and losing definitions lead to.
//
// The prototype of a bound extern, or the type of a loser, is useless in the output, and so are
// types that only these lead to. A type that nothing led to in its input stays: someone put it
// there on purpose.
//
// Equal types refer to equal types: if one type leads to another in an input, it does so in the
// output. So one search of the output serves all objects.
#include <vector>

#include "dedup/for_linker.hpp"
#include "linker/state/context.hpp"
#include "linker/state/renumber_types.hpp"
#include "linker/state/used_types.hpp"
#include "linker/types/type_search.hpp"

namespace bpflink {
namespace {

/// The ids of the types that an object keeps, or that a kept type leads to.
std::vector<uint32_t> find_kept(const Context& context,
                                const std::vector<std::vector<bool>>& orphaned) {
  const BtfBuilder& btf = *context.btf;
  std::vector<uint8_t> is_first(btf.end_id());  // bytes, as most types of an object are another's
  for (size_t i = 0; i < context.objects.size(); ++i) {
    const TypeMap& ids = context.objects[i]->type_map;
    for (uint32_t id = 1; id < ids.end_id(); ++id)
      if (orphaned[i].empty() || !orphaned[i][id]) is_first[ids[id]] = 1;
  }
  TypeSearch search(btf);
  for (uint32_t id = 1; id < btf.end_id(); ++id)
    if (is_first[id] != 0) search.add(id);
  search.follow_references();
  std::vector<bool> kept = search.take_found();
  kept[0] = true;
  // A tag is kept if and only if its target is.
  std::vector<uint32_t> ids;
  for (uint32_t id = btf.first_id(); id < btf.end_id(); ++id) {
    if (btf.kind(id) == BtfKind::DeclTag) kept[id] = kept[btf.type(id).type()];
    if (kept[id]) ids.push_back(id);
  }
  return ids;
}

}  // namespace

void remove_orphaned_types(Context& context) {
  std::vector<std::vector<bool>> orphaned;
  bool is_any = false;
  for (auto& object : context.objects) {
    orphaned.push_back(object->btf ? types_only_losers_use(*object, context.options.keep_types)
                                   : std::vector<bool>());
    is_any |= !orphaned.back().empty();
  }
  if (!is_any || !may_renumber_types(context)) return;
  std::vector<uint32_t> kept = find_kept(context, orphaned);
  if (kept.size() + 1 < context.btf->end_id())
    renumber_types(context, TypeMap(0, rearrange_types(*context.btf, kept)));
}

}  // namespace bpflink
