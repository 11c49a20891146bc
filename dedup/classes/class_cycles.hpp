// Whether types contain themselves, as far as their classes tell.
#pragma once

#include <cstdint>
#include <vector>

#include "dedup/classes/class_table.hpp"

namespace bpflink {

/// Whether a type of these classes might contain itself by value. Never false
/// where one does. Rarely true where none does: what is referred to by name is
/// taken to be all that the classes define under that name.
bool may_contain_themselves(const TypeTable& table, std::vector<uint32_t> classes);

}  // namespace bpflink
