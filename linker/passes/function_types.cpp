#include "linker/passes/function_types.hpp"

#include <algorithm>

namespace bpflink {

uint32_t FunctionTypes::add(uint32_t name_off, uint32_t info, uint32_t type,
                            std::span<const uint32_t> extra) {
  index();
  words_ = {name_off, info, type};
  words_.insert(words_.end(), extra.begin(), extra.end());
  uint32_t hash = hash_bytes(words_.data(), words_.size() * sizeof(uint32_t));
  // Compared as it is now: a FUNC may have got another prototype since.
  uint32_t found = ids_.find(
      hash, [&](uint32_t id) { return std::ranges::equal(types_.type(id).words(), words_); });
  return found != 0 ? found : types_.add_type(words_);
}

/// Adds what has come since the last call.
void FunctionTypes::index() {
  if (end_id_ == 0) end_id_ = types_.first_id();
  for (; end_id_ < types_.end_id(); ++end_id_) {
    BtfType type = types_.type(end_id_);
    if (type.kind() != BTF_KIND_FUNC && type.kind() != BTF_KIND_FUNC_PROTO) continue;
    ids_.insert(hash_bytes(type.words().data(), type.words().size_bytes()), end_id_);
  }
}

}  // namespace bpflink
