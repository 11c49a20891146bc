// The kernel's rules for names.
#pragma once

#include <cstdint>
#include <string_view>

#include "bpflink/btf.hpp"

namespace bpflink {

/// Whether a string offset is in range and within the kernel's limit.
bool is_name_offset(const BtfView& types, uint32_t offset);

/// The longest name that kernels take, in bytes.
inline constexpr size_t max_kernel_name = 512;

/// The name at a valid offset, cut off after `max_size` bytes.
std::string_view bounded_name(const BtfView& types, uint32_t offset,
                              size_t max_size = max_kernel_name + 1);

/// The properties of a name. However long it is, and however many types share it, only a bounded
/// part is read.
struct NameKind {
  bool is_empty = false;
  bool has_dot = false;
  bool is_identifier = false;    ///< letters, digits, `_` and `.`, and no digit first
  bool is_section_name = false;  ///< printable and not empty
};

/// The properties of the name at a valid offset.
NameKind name_kind(const BtfView& types, uint32_t offset);

}  // namespace bpflink
