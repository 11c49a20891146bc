#include "linker/types/type_search.hpp"

namespace bpflink {

std::vector<bool> find_embedders(const BtfView& types,
                                 const std::function<bool(uint32_t)>& is_part) {
  Graph embedders = Graph::make(types.end_id(), [&](auto add_edge) {
    for (uint32_t id = 1; id < types.end_id(); ++id) {
      BtfType type = types.type(id);
      if (!is_leaf(type.kind()))
        for_each_reference(type.words(), [&](uint32_t part) { add_edge(part, id); });
    }
  });
  std::vector<bool> is_found(types.end_id());
  for (uint32_t id = 1; id < types.end_id(); ++id)
    if (is_part(id)) embedders.mark_reachable(id, is_found);
  for (uint32_t id = 1; id < types.end_id(); ++id)
    is_found[id] = is_found[id] && is_composite(types.kind(id));
  return is_found;
}

}  // namespace bpflink
