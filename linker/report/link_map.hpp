// What went where: the texts of --Map and --cref.
#pragma once

#include <string>

#include "linker/context.hpp"

namespace bpflink {

/// Every fragment of every output section with where it is from, and what was
/// dropped and why.
std::string make_map(const Context& context);

/// Every symbol with the object that defines it and those that refer to it.
std::string make_cross_references(const Context& context);

}  // namespace bpflink
