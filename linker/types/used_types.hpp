// Finds the types that the live part of an object uses.
#pragma once

#include <vector>

#include "linker/elf/object_file.hpp"

namespace bpflink {

/// By type id: whether nothing that is in the output refers to the type, by way
/// of any number of other types. The variables and functions that are in the
/// output, or that an object declares of them, the live records of .BTF.ext, and
/// tags of what is used are where the search begins. Known after number_symbols().
std::vector<bool> find_unused_types(const ObjectFile& object);

/// By type id: whether a declaration that is not in the output, of an extern that was bound or of a
/// definition that lost, leads to the type, by way of any number of others, and neither another
/// declaration nor a record of .BTF.ext names it. Other types still may. Empty where there are
/// none. Known after merge_btf().
std::vector<bool> types_only_losers_use(const ObjectFile& object);

}  // namespace bpflink
