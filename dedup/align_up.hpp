#pragma once

#include <cstdint>

namespace bpflink {

/// The next multiple of `alignment`, which is not 0.
inline uint64_t align_up(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace bpflink
