// Definitions of maps in BTF.
//
// A map is a variable of struct type. Each member describes one attribute by its type. A number is
// the length of an array that the member points to, or the value of the type's only enumerator. A
// type is what the member points to. The contents of a map of maps or programs are an array of
// pointers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/object.hpp"
#include "linker/facts/map_rules.hpp"

namespace bpflink {

/// The attributes of a map, one for each member of its definition, a STRUCT or UNION.
std::vector<MapAttribute> read_map_attributes(const BtfView& types, uint32_t definition);

/// Sets what the definition of a map, a STRUCT, tells: attributes and numbers, but no slots.
void read_map_definition(const BtfView& types, uint32_t definition, Map& map);

/// The memory of a full map. The kernel keeps keys and values at multiples of 8 bytes. What it
/// needs for itself, such as the buckets of a hash, does not count.
uint64_t full_map_bytes(const Map& map);

/// The number that a variable's type gives for the attribute `name` of a map; 0 if it gives none,
/// or is not a map.
uint64_t map_number(const BtfView& types, uint32_t variable_type, std::string_view name);

/// Why libbpf or the kernel refuses a map with this definition, as the rest of a sentence about the
/// map: "has no type". "" if the definition does not show a reason.
std::string find_map_fault(const BtfView& types, uint32_t definition);

/// Why libbpf refuses a map that other loaders may take, likewise: two sizes that differ, a way to
/// pin it that libbpf does not know.
std::string find_libbpf_fault(const BtfView& types, const Map& map);

/// Whether a struct looks like the definition of a map: it has a type, and only members that
/// definitions have, as they have them.
bool is_like_map(const BtfView& types, uint32_t definition);

}  // namespace bpflink
