// The sections that DWARF consists of.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>

namespace bpflink {

/// The contents of sections, decompressed and relocated; those that are not there are empty. A file
/// has a second set if it has .debug_types, which is then `info`.
struct DwarfSections {
  using Bytes = std::span<const std::byte>;
  std::endian order = std::endian::native;
  Bytes info{}, abbreviations{}, strings{}, line_strings{}, string_offsets{}, addresses{};
  Bytes location_lists{};             ///< .debug_loclists, of version 5
  Bytes old_location_lists{};         ///< .debug_loc, of versions before
  Bytes unit_index{}, type_index{};   ///< of a package of .dwo files
  std::string place = ".debug_info";  ///< what `info` is, for messages
  bool has_old_type_units = false;    ///< `info` is .debug_types
  bool is_split = false;              ///< of a .dwo file or package
  bool is_supplementary = false;      ///< of a file that others refer to, as dwz -m makes it
  const DwarfSections* supplementary = nullptr;  ///< that file's, or null
  uint64_t origin = 0;  ///< where `info` begins if those of all sets follow each other
};

/// All that the types of a file are in. The first set is of the file itself. They do not move.
using DwarfFiles = std::deque<DwarfSections>;

}  // namespace bpflink
