// Finds the structs that contain a given type by value.
#pragma once

#include <functional>
#include <vector>

#include "bpflink/btf.hpp"

namespace bpflink {

/// By type id: whether it is a struct or union for which `is_part(id)` holds, or that has a type
/// for which it does by value, at any depth. `is_part` is asked once for each type.
std::vector<bool> find_embedders(const BtfView& types,
                                 const std::function<bool(uint32_t)>& is_part);

}  // namespace bpflink
