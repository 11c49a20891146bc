// Hints from archives on an undefined symbol.
#pragma once

#include <string>
#include <vector>

#include "linker/context.hpp"

namespace bpflink {

/// An archive among the inputs that is not as its members are now, or that defines the symbol as
/// C++; or one in the directories of -L that defines it and was not given. Nothing where there is
/// none.
std::vector<std::string> find_archive_hint(const Context& context, const Symbol& symbol);

}  // namespace bpflink
