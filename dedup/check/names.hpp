// Names as kernels take them.
#pragma once

#include <cstdint>
#include <string_view>

#include "bpflink/btf.hpp"

namespace bpflink {

/// Whether a name may begin at a string offset: whether there is one, within the kernel's limit.
bool is_name_offset(const BtfView& types, uint32_t offset);

/// The name at a valid offset, or what goes beyond the longest that kernels take by one byte.
std::string_view begin_of_name(const BtfView& types, uint32_t offset);

/// What a name can be. No more of it is looked at than the longest may have, however many types
/// share it.
struct NameKind {
  bool is_empty = false;
  bool has_dot = false;
  bool is_identifier = false;    ///< letters, digits, `_` and `.`, and no digit first
  bool is_section_name = false;  ///< printable, and not empty
};

/// Looks at the name at a valid offset.
NameKind name_kind(const BtfView& types, uint32_t offset);

}  // namespace bpflink
