// Finds the types that the live part of an object uses.
#pragma once

#include <vector>

#include "linker/elf/object_file.hpp"

namespace bpflink {

/// By type id: whether nothing in the output leads to the type. The search begins at the variables
/// and functions in the output and their declarations, at the live records of .BTF.ext, and at tags
/// of used types. Valid after number_symbols().
std::vector<bool> find_unused_types(const ObjectFile& object);

/// By type id: whether a declaration that is not in the output (of a bound extern or a losing
/// definition) leads to the type, while no other declaration and no record of .BTF.ext names it.
/// Other types still may. Empty if there are none. Valid after merge_btf().
std::vector<bool> types_only_losers_use(const ObjectFile& object);

}  // namespace bpflink
