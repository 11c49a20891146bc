// C code that skeletons and subskeletons share: structs of pointers, and the tables that tell
// libbpf which pointers to set. Each text is one or more lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "linker/bpfskel/model.hpp"

namespace bpflink {

/// A member `declarator`, "*rodata" or "rodata", with the definition of its struct.
std::string struct_member(const std::string& type, const std::string& declarator,
                          const std::vector<Member>& members, const std::string& indent);

/// The members `maps`, `progs` and `links`, if there are any.
std::string map_pointers(const Skeleton& skeleton);
std::string program_pointers(const Skeleton& skeleton);
std::string link_pointers(const Skeleton& skeleton);

/// The member `struct_ops`: a pointer to each shadow.
std::string shadow_pointers(const Skeleton& skeleton);

/// A function that sets those pointers after the object is opened.
std::string shadow_function(const Skeleton& skeleton);

/// Allocates `array` of the skeleton `s` with its count and the size of its elements.
std::string allocate(std::string_view array, std::string_view element, size_t count);

/// Fills in `maps` and `progs` of the skeleton `s`.
std::string map_table(const Skeleton& skeleton);
std::string program_table(const Skeleton& skeleton);

}  // namespace bpflink
