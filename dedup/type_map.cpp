// Composes type maps: compose(maps, next) makes each map lead to next[map[id]].
#include "bpflink/dedup.hpp"

namespace bpflink {

void compose(std::vector<TypeMap>& maps, const TypeMap& next) {
  std::shared_ptr<const std::vector<uint32_t>> old_base, new_base;
  for (TypeMap& map : maps) {
    if (!new_base || map.base_ids_ != old_base || new_base->size() != map.first_id_) {
      old_base = map.base_ids_;
      auto ids = std::make_shared<std::vector<uint32_t>>(map.first_id_);
      for (uint32_t id = 0; id < map.first_id_; ++id) (*ids)[id] = next[map[id]];
      new_base = std::move(ids);
    }
    for (uint32_t& id : map.ids_) id = next[id];
    map.base_ids_ = new_base;
  }
}

}  // namespace bpflink
