// Finds the types that the live part of an object uses.
#pragma once

#include <string>
#include <vector>

#include "linker/files/object_file.hpp"

namespace bpflink {

/// Whether the names, which `--keep-type` gave, have that of a struct, union, enum or typedef.
bool is_kept_type(const std::vector<std::string>& names, const BtfView& types, uint32_t id);

/// By type id: whether nothing in the output leads to the type. The search begins at the variables
/// and functions in the output and their declarations, at the live records of .BTF.ext, at tags of
/// used types, and at the types that `kept` names. Valid after number_symbols().
std::vector<bool> find_unused_types(const ObjectFile& object, const std::vector<std::string>& kept);

/// By type id: whether a declaration that is not in the output (of a bound extern or a losing
/// definition) leads to the type, while no other declaration, no record of .BTF.ext and no name in
/// `kept` names it. Other types still may. Empty if there are none. Valid after merge_btf().
std::vector<bool> types_only_losers_use(const ObjectFile& object,
                                        const std::vector<std::string>& kept);

}  // namespace bpflink
