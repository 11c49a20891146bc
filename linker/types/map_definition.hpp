// Definitions of maps, as BTF has them.
//
// A map is a variable of struct type. Each member says one attribute in its type: a number is the
// length of an array that the member points to, or the value of its type's only enumerator; a type
// is what the member points to; what a map of maps or programs holds is an array of pointers to it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/object.hpp"

namespace bpflink {

/// The attributes of a map, one for each member of its definition, a STRUCT or UNION.
std::vector<MapAttribute> read_map_attributes(const BtfView& types, uint32_t definition);

/// The name of a value of the kernel's enum bpf_map_type, as bpftool spells it: "hash", or
/// "unknown".
std::string_view map_type_name(uint32_t type);

}  // namespace bpflink
