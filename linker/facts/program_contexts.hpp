// Contexts of programs: the structs that only the kernel passes to them, each type of program its
// own. A function with a pointer to one is a program, or part of one, and its parameter tells of
// which type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bpflink/btf.hpp"

namespace bpflink {

/// A section for programs whose parameter, of type `id`, points to a program's context, such as
/// "xdp" for `struct xdp_md *`, or "" if what it is for is open; nothing if it points to something
/// else.
std::optional<std::string> section_for_parameter(const BtfView& types, uint32_t id);

}  // namespace bpflink
