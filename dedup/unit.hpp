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

  /// The classes of one of the parts.
  std::span<uint32_t> part(size_t i) {
    size_t end = i + 1 < parts.size() ? parts[i + 1] : classes.size();
    return std::span(classes).subspan(parts[i], end - parts[i]);
  }
};

}  // namespace bpflink
