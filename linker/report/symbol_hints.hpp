// What may have been meant by a symbol that nobody defines.
#pragma once

#include <string>
#include <vector>

#include "linker/context.hpp"

namespace bpflink {

/// Adds lines to a message on `symbol`: a static symbol of that name in another
/// object, an archive that has it and was not given, a defined name that is
/// spelled almost alike, or how to declare what the kernel has.
void add_hints(const Context& context, const Symbol& symbol, std::vector<std::string>& details);

}  // namespace bpflink
