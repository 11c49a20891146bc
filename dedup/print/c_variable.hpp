// Declares the variables of skeletons, for linker/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bpflink/btf.hpp"

namespace bpflink {

/// print_c_declaration() of a variable that a program may assign to: without type tags, and without
/// the qualifiers of the variable, of its elements, and of the members of anonymous structs. What
/// pointers point to keeps its qualifiers.
std::string print_c_variable(const BtfView& btf, uint32_t id, std::string_view name);

}  // namespace bpflink
