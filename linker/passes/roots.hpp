// Sections that --gc-sections keeps for what they are.
#pragma once

#include <string_view>

#include "bpflink/linker.hpp"

namespace bpflink {

/// Why what a section of that name holds needs no reference to stay: "map", "--keep-section". ""
/// where it does need one.
std::string_view why_root(std::string_view section, const LinkOptions& options);

}  // namespace bpflink
