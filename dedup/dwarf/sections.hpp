// The sections that DWARF consists of.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace bpflink {

/// The contents of sections, decompressed and relocated; those that are not there are empty.
struct DwarfSections {
  using Bytes = std::span<const std::byte>;
  std::endian order = std::endian::native;
  Bytes info{}, abbreviations{}, strings{}, line_strings{}, string_offsets{}, addresses{};
  Bytes location_lists{};      ///< .debug_loclists, of version 5
  Bytes old_location_lists{};  ///< .debug_loc, of versions before
};

}  // namespace bpflink
