// Names of sections that are like those of programs.
#pragma once

#include <string>
#include <string_view>

namespace bpflink {

/// What a section's name may have meant, such as "xdp" for "xpd": the known name that is most like
/// it, with what follows the '/'; "" if none is.
std::string similar_section(std::string_view section);

}  // namespace bpflink
