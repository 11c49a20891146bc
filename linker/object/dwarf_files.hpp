// The source files that DWARF's entries refer to by number.
//
// Specification: DWARF 5, section 6.2.4, and DWARF 4, section 6.2.4, for versions 2 to 4.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "linker/object/dwarf_values.hpp"

namespace bpflink {

/// The paths of the line table at `offset` of .debug_line, by file number. Before version 5 there
/// is no file 0, so its path is "". `directory` is the compiler's working directory.
std::vector<std::string> read_dwarf_files(DwarfValues& values, uint64_t offset,
                                          std::string_view directory);

}  // namespace bpflink
