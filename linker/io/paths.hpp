// Paths as messages show them.
#pragma once

#include <string>
#include <string_view>

namespace bpflink {

/// The path without "." and empty components: "dir/a.o" for "dir/./a.o".
std::string without_dots(std::string_view path);

/// The same, relative to the current directory if it is below that.
std::string path_from_here(std::string_view path);

}  // namespace bpflink
