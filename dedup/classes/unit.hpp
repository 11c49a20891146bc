// An input as the deduplicator keeps it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bpflink {

/// One input, or the base.
struct Unit {
  std::string name;
  uint32_t first_id = 1;
  /// The class of each type from `first_id` on; `omitted_class` if left out.
  std::vector<uint32_t> classes;
  /// Where in `classes` a part begins that no reference leads into or out of;
  /// find_parts() says what for.
  std::vector<uint32_t> parts{0};

  /// Where in `classes` each of them stands for the first time in this and the units before
  /// it, and perhaps other places, in order.
  std::vector<uint32_t> firsts;
  bool has_firsts = false;  ///< whether somebody noted them
  /// Where in `classes` those that are tainted stand when all inputs are in.
  std::vector<uint32_t> tainted;
  /// Whether these are known when the unit is in, if it is the only one.
  bool is_settled = false;

  uint32_t class_of(uint32_t id) const { return classes[id - first_id]; }
  /// Where one of the parts ends.
  size_t part_end(size_t i) const { return i + 1 < parts.size() ? parts[i + 1] : classes.size(); }
  /// The classes of one of the parts.
  std::span<uint32_t> part(size_t i) {
    return std::span(classes).subspan(parts[i], part_end(i) - parts[i]);
  }
};

}  // namespace bpflink
