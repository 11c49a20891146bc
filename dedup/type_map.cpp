// Composes type maps: compose(maps, next) makes each map lead to next[map[id]].
#include "bpflink/dedup.hpp"

namespace bpflink {

void compose(std::vector<TypeMap>& maps, const TypeMap& next) {
  // Many maps share one list of ids, and so do all maps with one base. Keep them shared.
  TypeMap::Ids outputs, next_outputs, base_outputs, next_base_outputs;
  auto follow = [&](const std::vector<uint32_t>& ids) {
    auto followed = std::make_shared<std::vector<uint32_t>>(ids);
    for (uint32_t& id : *followed) id = next[id];
    return followed;
  };
  for (TypeMap& map : maps) {
    for (uint32_t& element : map.elements_)
      if (!map.outputs_ || element >= map.outputs_->size()) element = ~next[~element];
    if (map.outputs_) {
      if (map.outputs_ != outputs) {
        outputs = map.outputs_;
        next_outputs = follow(*outputs);
      }
      map.outputs_ = next_outputs;
    }
    if (!next_base_outputs || map.base_outputs_ != base_outputs ||
        next_base_outputs->size() != map.first_id_) {
      base_outputs = map.base_outputs_;
      std::vector<uint32_t> own(map.first_id_);
      for (uint32_t id = 0; id < map.first_id_; ++id) own[id] = map[id];
      next_base_outputs = follow(own);
    }
    map.base_outputs_ = next_base_outputs;
  }
}

}  // namespace bpflink
