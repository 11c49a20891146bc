// What the kernel demands of a map when it is created: one table, by type of map.
#pragma once

#include <optional>
#include <string>

#include "bpflink/check.hpp"
#include "bpflink/object.hpp"

namespace bpflink {

/// Why a map cannot be created.
struct MapFault {
  std::string text;      ///< the rest of a sentence about the map: "of type array has ..."
  LinuxRelease since{};  ///< the first release that creates it; 0.0 if none does
  std::string advice{};  ///< what to do, or ""
};

/// The first rule that a map breaks. What loaders or programs often set before the load is no
/// fault: a number of entries that is absent, and sizes of maps of descriptors and stacks. Nothing
/// is known of types that are newer than this program.
std::optional<MapFault> find_rule_fault(const Map& map);

}  // namespace bpflink
