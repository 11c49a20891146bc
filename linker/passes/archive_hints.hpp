// Hints from archives on an undefined symbol.
#pragma once

#include <string>
#include <vector>

#include "linker/context.hpp"

namespace bpflink {

/// Hints at an input archive that is out of date or defines the symbol as C++, or at an archive in
/// the directories of -L that defines it but was not given.
std::vector<std::string> find_archive_hint(const Context& context, const Symbol& symbol);

}  // namespace bpflink
