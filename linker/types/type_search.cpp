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
  std::vector<uint32_t> pending;
  for (uint32_t id = 1; id < types.end_id(); ++id)
    if (is_part(id)) pending.push_back(id);
  std::vector<bool> is_found(types.end_id()), is_embedder(types.end_id());
  while (!pending.empty()) {
    uint32_t id = pending.back();
    pending.pop_back();
    if (is_found[id]) continue;
    is_found[id] = true;
    is_embedder[id] = is_composite(types.kind(id));
    for (uint32_t embedder : embedders.edges(id)) pending.push_back(embedder);
  }
  return is_embedder;
}

}  // namespace bpflink
