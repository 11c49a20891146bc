// Definitions of maps in BTF.
//
// A map is a variable of struct type. Each member describes one attribute by its type. A number is
// the length of an array that the member points to, or the value of the type's only enumerator. A
// type is what the member points to. The contents of a map of maps or programs are an array of
// pointers.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/object.hpp"

namespace bpflink {

/// The attributes of a map, one for each member of its definition, a STRUCT or UNION.
std::vector<MapAttribute> read_map_attributes(const BtfView& types, uint32_t definition);

}  // namespace bpflink
