// Paths as messages show them.
#pragma once

#include <string>
#include <string_view>

namespace bpflink {

/// The path without components "." and without empty ones: "dir/a.o" of "dir/./a.o".
std::string without_dots(std::string_view path);

/// The same, and told from the current directory where it is below that.
std::string path_from_here(std::string_view path);

}  // namespace bpflink
