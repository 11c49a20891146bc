// Finds the structs that contain a given type by value.
#pragma once

#include <functional>
#include <vector>

#include "bpflink/btf.hpp"

namespace bpflink {

/// By type id: whether `is_part(id)` holds for a struct or union, or for a type that it contains by
/// value at any depth. `is_part` is called once for each type.
std::vector<bool> find_embedders(const BtfView& types,
                                 const std::function<bool(uint32_t)>& is_part);

}  // namespace bpflink
