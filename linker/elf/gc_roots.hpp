// What --gc-sections keeps although nothing refers to it.
//
// A whole section is a root for what it is: maps, struct_ops variables, license and version, what
// --keep-section names, and what is not loaded, which keeps nothing else. In other sections a
// symbol is one: programs, which are the global symbols and the static functions of any code
// section but .text, and what -u names. So are the callbacks that tags of live code name
// (mark_live.cpp). Entries about code are in the output if the code is (code_tables.hpp), so that
// their sections are no roots.
#pragma once

#include <string_view>

#include "bpflink/linker.hpp"
#include "linker/elf/object_file.hpp"

namespace bpflink {

/// Whether the variables of a section of that name are struct_ops, which the kernel takes over.
bool holds_struct_ops(std::string_view section);

/// Why all in the section stays, such as "map" or "--keep-section"; "" where what it has must be
/// reached.
std::string_view gc_root_reason(const InputSection& section, const LinkOptions& options);

/// Why what `symbol` stands for stays, which is in `section`; "" where it must be reached.
std::string_view gc_root_reason(const InputSymbol& symbol, const InputSection& section,
                                const LinkOptions& options);

}  // namespace bpflink
