// What paths mean, and how messages show them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bpflink {

/// The path without "." and empty components: "dir/a.o" for "dir/./a.o".
std::string without_dots(std::string_view path);

/// The same, relative to the current directory if it is below that.
std::string path_from_here(std::string_view path);

/// N where the path is that of the process's descriptor N.
std::optional<int> descriptor_of(std::string_view path);

/// A name for a file in a directory that the program fills: that of no other text. What would lead
/// out of the directory, hide the file, or be no name, is written as %XX.
std::string file_name_for(std::string_view text);

/// The file that `-l` names: lib`name`.a, or what follows a colon as it is.
std::string file_of_library(std::string_view name);

/// The path of that file in the first directory that has it, or may have it.
std::optional<std::string> find_library(std::string_view name,
                                        const std::vector<std::string>& directories);

}  // namespace bpflink
