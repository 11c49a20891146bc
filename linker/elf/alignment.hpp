// Alignment of sections and of what stands in them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace bpflink {

/// The next multiple of `alignment`, a power of two.
inline uint64_t align_up(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

/// An alignment that suffices for what stands at `offset` of a section, because
/// it has no more there.
inline uint64_t alignment_at(uint64_t section_alignment, uint64_t offset) {
  if (offset == 0) return section_alignment;
  return std::min(section_alignment, uint64_t{1} << std::countr_zero(offset));
}

}  // namespace bpflink
