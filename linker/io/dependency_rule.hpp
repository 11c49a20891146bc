// The files that a link read, as a rule for make (`--dependency-file`).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bpflink {

/// A file's name as make, ninja and CMake read it alike; nothing where there is no such spelling.
std::optional<std::string> escape_dependency(std::string_view name);

/// A rule of make: the output depends on the files; and one for each file, so
/// that make does not stop where one is gone. Without the names that escape_dependency() has no
/// spelling for; empty where the output's is one of them.
std::string make_dependencies(const std::string& output, const std::vector<std::string>& files);

}  // namespace bpflink
