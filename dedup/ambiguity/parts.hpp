// An input that was put together from many units, cut into these again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/classes/class_table.hpp"

namespace bpflink {

/// Where the parts of an input begin that do not refer to each other, as offsets
/// from its first id, the first of them 0. `classes` are those of its types, and
/// `seen` has each of them once. One pass over the types.
std::vector<uint32_t> find_parts(const Btf& btf, std::span<const uint32_t> classes,
                                 std::vector<uint32_t> seen, const TypeTable& table);

}  // namespace bpflink
