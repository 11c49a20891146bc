// What the kernel demands of a map when it is created: one table, by type of map.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bpflink/check.hpp"
#include "bpflink/object.hpp"

namespace bpflink {

// Of the kernel's enum bpf_map_type.
inline constexpr uint32_t map_type_percpu_array = 6;
inline constexpr uint32_t map_type_cgrp_storage = 32, map_type_arena = 33, map_type_insn_array = 34,
                          map_type_rhash = 35;

/// Why a map cannot be created.
struct MapFault {
  std::string text;           ///< the rest of a sentence about the map: "of type array has ..."
  LinuxRelease since{};       ///< the first release that creates it; 0.0 if none does
  std::string advice{};       ///< what to do, or ""
  bool is_of_libbpf = false;  ///< other loaders complete the map
};

/// The first rule that a map breaks. What loaders or programs often set before the load is no
/// fault: a number of entries that is absent, and the size of stacks. Nothing is known of types
/// that are newer than this program.
std::optional<MapFault> find_rule_fault(const Map& map);

/// The register in which a helper gets a map: 1 or 2; 0 if it gets none, or is not known.
uint8_t map_register(uint32_t helper);
/// Why no kernel lets a helper have a map of that type, as a sentence, or "".
std::string find_argument_fault(uint32_t helper, uint32_t map_type);

}  // namespace bpflink
