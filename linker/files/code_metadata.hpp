// Code metadata: sections with entries about functions. An entry is in the output if and only if
// its code is.
//
// - .jumptables (LLVM 22): where the cases of a `switch` begin, as u64 byte offsets from the start
//   of the code section that refers to the table, with or without relocations. The symbols of
//   tables, BPF.JT.<function>.<table>, are global, but only their own file refers to them.
// - .bpf_cleanup: entries of 12 bytes: begin and end of a range of code, and its landing pad.
// - .eh_frame: how to unwind a function (an FDE), and what several FDEs share (a CIE).
//   Specification: Linux Standard Base 5.0, core, 10.6.
// - .gcc_except_table: tables that an FDE or code refers to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "linker/files/object_file.hpp"
#include "linker/io/bytes.hpp"

namespace bpflink {

inline constexpr uint64_t jump_table_entry_size = 8;

/// Splits the linked sections of code metadata. A malformed one becomes a single fragment.
void split_code_metadata(ObjectFile& object);

/// Calls `visit(at, offset)` for each entry of a jump table that has no relocation: the entry's
/// place in its section, and the code offset that it holds.
template <typename Visit>
void for_each_plain_offset(const InputSection& section, const Fragment& table, Visit visit) {
  const auto& relocations = section.relocations;
  auto next = section.first_relocation(table.begin);
  for (uint64_t at = table.begin; at + jump_table_entry_size <= table.end;
       at += jump_table_entry_size) {
    while (next != relocations.end() && next->offset < at) ++next;
    bool has_relocation = next != relocations.end() && next->offset < at + jump_table_entry_size;
    if (!has_relocation) visit(at, load<uint64_t>(&section.data[at], section.file->byte_order));
  }
}

/// The field of an FDE that points to its CIE, and the place of the CIE.
struct CieReference {
  uint64_t field;  ///< bytes into the section; 32 bits wide: the distance from there back
  uint64_t cie;    ///< bytes into the section
};

/// Nothing if the fragment is not an FDE, or its CIE is outside of the section.
std::optional<CieReference> find_cie(const InputSection& section, const Fragment& fragment);

}  // namespace bpflink
