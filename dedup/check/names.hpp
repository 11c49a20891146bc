// The kernel's rules for names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bpflink/btf.hpp"
#include "dedup/format/kinds.hpp"

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

/// Calls `visit(offset)` for the name of a type of a known kind, if kernels check its characters,
/// and for those of its elements. An offset of 0 is not a name.
template <class Visit>
void for_each_checked_name(BtfType type, Visit&& visit) {
  constexpr KindSet with_checked_name = kinds_with([](const KindRow& row) {
    return row.name_rule == NameRule::Optional || row.name_rule == NameRule::Needed ||
           row.name_rule == NameRule::Section;
  });
  if (with_checked_name.contains(type.kind())) visit(type.name_off());
  for_each_word(type.words(), kind_words(type.kind()).names, visit);
}

/// An identifier that all kernels accept. A character that no C identifier has becomes its code, as
/// in `Option_3C_u32_3E_`. A long name is cut off, and ends with a hash of the whole.
std::string kernel_name(std::string_view name);

/// Replaces the characters of a string with its NUL that do not belong to an identifier, or of a
/// section's name that `has_dots`, by '_'.
void clean_name(char* name, bool has_dots);

}  // namespace bpflink
