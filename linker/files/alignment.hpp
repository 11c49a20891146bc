// Alignment of definitions within sections.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "dedup/for_linker.hpp"

namespace bpflink {

/// The largest alignment that the contents at `offset` of a section can rely on.
inline uint64_t alignment_at(uint64_t section_alignment, uint64_t offset) {
  if (offset == 0) return section_alignment;
  return std::min(section_alignment, uint64_t{1} << std::countr_zero(offset));
}

}  // namespace bpflink
