// What sections mean to loaders and to the linker, by their names. A section that needs rules of
// its own is a row of the table in section_roles.cpp; passes ask for its role, never for its name.
#pragma once

#include <cstdint>
#include <string_view>

namespace bpflink {

enum class SectionRole : uint8_t {
  Other,  ///< loaded data that only its own program gives a meaning
  Text,   ///< functions that are only called: .text, .text.*
  /// Any other code. libbpf loads each global function as a program. Other loaders load static
  /// ones, which they find by name.
  Programs,
  Maps,
  LegacyMaps,  ///< maps of libbpf before 1.0
  License,
  Version,
  Ksyms,      ///< only in BTF: symbols of the kernel
  Kconfig,    ///< only in BTF: options of the kernel's configuration
  StructOps,  ///< variables that the kernel registers
  Data,
  Rodata,
  Bss,
  Percpu,  ///< variables with a copy for each CPU
  Arena,
  JumpTables,  ///< this and the next three are code metadata: see code_metadata.hpp
  Cleanups,
  Frames,
  Exceptions,
  Dwarf,
  Btf,
  BtfExt,
  Comment,  ///< for people and tools; loaders ignore it
};

/// What follows from a role.
struct SectionRoleFacts {
  /// Why the whole section is a root of --gc-sections; "" if it is none.
  std::string_view gc_root = {};
  /// All inputs must agree, and the output has one.
  bool is_kept_once = false;
  /// The loader provides the symbols that the DATASEC of this name lists.
  bool has_loader_symbols = false;
  /// Variables that programs read, and write unless it is Rodata. User space finds them by name.
  bool is_global_data = false;
  /// Entries about code, each in the output if and only if its code is.
  bool is_code_metadata = false;

  bool operator==(const SectionRoleFacts&) const = default;
};

const SectionRoleFacts& facts_of(SectionRole role);

/// Whether libbpf refuses code that refers to such a section: it makes no map of it.
constexpr bool is_out_of_reach(SectionRole role) {
  return role == SectionRole::Other || role == SectionRole::License || role == SectionRole::Version;
}

/// The role of a data section or DATASEC of that name.
SectionRole role_of(std::string_view name);

/// The role of a section of an object, by its SHT_* and SHF_* as well.
SectionRole role_of(std::string_view name, uint32_t type, uint64_t flags);

}  // namespace bpflink
