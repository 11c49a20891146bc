// The roots of --gc-sections.
//
// A whole section is a root if it holds maps, struct_ops variables, the license or the version, if
// --keep-section names it, if it is not loaded (such a section keeps nothing else), or if its name
// means nothing to loaders: user space reads it from the file (libxdp's `xdp_metadata`). In other
// sections a symbol is a root if it is a program, if -u or --export names it, or if it is a
// variable for user space: a `const volatile` one of .rodata*, which it sets before the load, by
// name, or one of .data* and .bss* that no input refers to. The values of other constants are
// compiled into the code, so that nobody misses one that no code reads, unless a tool looks for its
// name. Programs are the global symbols and the static functions of any code section but .text.
// Callbacks that tags of live code name are also roots (mark_live.cpp). Sections with code metadata
// are not: an entry is in the output if its code is (code_metadata.hpp).
//
// --gc-maps makes maps like other variables, but for pinned ones, which other programs find by
// their names, and an arena, which no code refers to.
#pragma once

#include <string_view>

#include "bpflink/linker.hpp"
#include "linker/state/symbol.hpp"

namespace bpflink {

/// Why the whole section is a root, such as "map" or "--keep-section"; "" if it is none.
std::string_view gc_root_reason(const InputSection& section, const LinkOptions& options);

/// Why `symbol`, which is in `section`, is a root; "" if it is none. `global` is the link's symbol
/// of its name, or null for a local symbol.
std::string_view gc_root_reason(const InputSymbol& symbol, const Symbol* global,
                                const InputSection& section, const LinkOptions& options);

}  // namespace bpflink
