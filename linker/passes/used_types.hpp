// Which types of an object its live part uses.
#pragma once

#include <vector>

#include "linker/elf/object_file.hpp"

namespace bpflink {

/// By type id: whether nothing that is in the output refers to the type, by way
/// of any number of other types. The variables and functions that are in the
/// output, or that an object declares of them, the live records of .BTF.ext, and
/// tags of what is used are where the search begins. Known after number_symbols().
std::vector<bool> find_unused_types(const ObjectFile& object);

/// By type id: whether only declarations that are not in the output, those of externs that were
/// bound and of definitions that lost, lead to the type. What nothing led to in the input is none
/// of these. Empty where there are none. Known after merge_btf().
std::vector<bool> find_forgotten_types(const ObjectFile& object);

}  // namespace bpflink
