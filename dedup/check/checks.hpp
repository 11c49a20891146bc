// The phases of check_btf(), in order. Each adds its findings.
#pragma once

#include <optional>
#include <span>

#include "bpflink/check.hpp"
#include "dedup/check/findings.hpp"
#include "dedup/format/header.hpp"

namespace bpflink {

/// Whether the header is well-formed and the sections fill the blob. Returns where the sections
/// are, if they lie in the blob and can be read.
std::optional<BtfHeader> check_blob(std::span<const std::byte> blob, BtfUse use, bool is_split,
                                    Findings& findings);

/// Whether each type obeys the rules that ask for nothing but itself: names, numbers, order of
/// members.
void check_single_types(const BtfView& types, Findings& findings);

/// Whether types refer to what they may, have sizes, and fit into what contains them.
void check_resolution(const BtfView& types, Findings& findings);

/// Whether ids are in range: what of check_resolution() holds for a kernel's own BTF.
void check_id_ranges(const BtfView& types, Findings& findings);

/// Whether type tags come before qualifiers and typedefs, and chains of them are short.
void check_tag_order(const BtfView& types, Findings& findings);

/// The release that the kinds, flags and names need.
BtfRequirement find_requirement(const BtfView& types, bool has_layout);

}  // namespace bpflink
