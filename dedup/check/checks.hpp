// The phases of check_btf(), in order. Each adds its findings.
#pragma once

#include <bit>
#include <optional>
#include <span>
#include <string>

#include "bpflink/check.hpp"
#include "dedup/check/findings.hpp"
#include "dedup/format/header.hpp"

namespace bpflink {

/// Checks that the header is well-formed and the sections fill the blob. Returns where the sections
/// are, if they can be read.
std::optional<BtfHeader> check_blob(std::span<const std::byte> blob, BtfUse use, bool is_split,
                                    Findings& findings);

/// Whether a header has fields for a layout section, which older kernels want to be zero.
bool has_layout_fields(std::span<const std::byte> blob, const BtfHeader& header);

/// Checks each type without what it refers to: names, numbers, order of members.
void check_single_types(const BtfView& types, Findings& findings);

/// Checks that types refer to valid types, have sizes where needed, and fit into their containers.
void check_resolution(const BtfView& types, Findings& findings);

/// Checks that ids are in range: the part of check_resolution() that holds for a kernel's own BTF.
void check_id_ranges(const BtfView& types, Findings& findings);

/// Whether an INT has 8, 16, 32, 64 or 128 bits, from bit 0 on.
inline bool is_regular_int(BtfType type) {
  constexpr uint32_t least = 8, most = 128;
  uint32_t bits = type.int_bits();
  return type.int_offset() == 0 && bits >= least && bits <= most && std::has_single_bit(bits);
}

/// Checks that type tags come before qualifiers and typedefs, and that chains of these are short.
void check_tag_order(const BtfView& types, Findings& findings);

/// Checks structs that have fields of the verifier's, such as locks. For types without
/// other faults than those of check_tag_order().
void check_struct_fields(const BtfView& types, Findings& findings);

/// What is wrong with split BTF that is checked without its base.
inline constexpr std::string_view lacks_base = "it is split BTF, which needs its base";

/// Why types, whose base may be another one than they were made with, or is not given, do not fit
/// it, or "".
std::string find_misfit(const BtfView& types);

/// Whether a type refers to an id that is not there.
bool refers_beyond_end(const BtfView& types);

/// The Linux release that kinds, flags and names need in BTF for `use`.
BtfRequirement find_requirement(const BtfView& types, bool has_layout, BtfUse use);

}  // namespace bpflink
