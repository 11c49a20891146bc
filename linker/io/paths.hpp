// What paths mean, which files there are, and how messages show them.
#pragma once

#include <sys/stat.h>

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/error.hpp"

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

/// What is at the path, behind symbolic links; nothing if there is nothing. What cannot be looked
/// at is not absent. Errors: "cannot open: " and the reason.
std::expected<std::optional<struct stat>, Error> find_file(const std::string& path);

/// The path without symbolic links, "." and ".."; nothing if there is nothing, or the user may not
/// go there. Errors: "cannot open: " and the reason.
std::expected<std::optional<std::string>, Error> canonical_path(const std::string& path);

/// Whether a directory is there. If that is not known, it is none: opening it as a file says why.
bool is_directory(const std::string& path);

/// The names in a directory but "." and "..", sorted. Errors: "cannot read: " and the reason; it
/// has more than a million.
std::expected<std::vector<std::string>, Error> list_directory(const std::string& path);

}  // namespace bpflink
