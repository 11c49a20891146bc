// An input as the deduplicator keeps it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bpflink {

/// One input, or the base.
struct Unit {
  std::string name;
  uint32_t first_id = 1;
  /// The class of each type from `first_id` on; `omitted_class` if left out.
  std::vector<uint32_t> classes;
};

}  // namespace bpflink
