// From what size on an input is worth some things that cost a little at first.
#pragma once

#include <cstddef>

namespace bpflink {

/// The size to compare with. For tests to cover what is done with large inputs only, a
/// build may define BPFLINK_ALL_INPUTS_ARE_LARGE.
constexpr size_t large_from(size_t size) {
#ifdef BPFLINK_ALL_INPUTS_ARE_LARGE
  return size * 0;
#else
  return size;
#endif
}

}  // namespace bpflink
