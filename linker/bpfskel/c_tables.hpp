// C that skeletons and subskeletons have in common: structs of pointers, and the tables
// that tell libbpf which of these to set. A text is a line or more.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "linker/bpfskel/model.hpp"

namespace bpflink {

/// A struct that is defined where `declarator`, "*rodata" or "rodata", is a member.
std::string struct_member(const std::string& type, const std::string& declarator,
                          const std::vector<Member>& members, const std::string& indent);

/// The members `maps`, `progs` and `links`, where there are any.
std::string map_pointers(const Skeleton& skeleton);
std::string program_pointers(const Skeleton& skeleton);
std::string link_pointers(const Skeleton& skeleton);

/// The member `struct_ops`: a pointer to each shadow.
std::string shadow_pointers(const Skeleton& skeleton);

/// A function that sets those pointers, once the object is open.
std::string shadow_function(const Skeleton& skeleton);

/// Allocates `array` of the skeleton `s` with its count and the size of its elements.
std::string allocate(std::string_view array, std::string_view element, size_t count);

/// Fill in `maps` and `progs` of the skeleton `s`.
std::string map_table(const Skeleton& skeleton);
std::string program_table(const Skeleton& skeleton);

}  // namespace bpflink
