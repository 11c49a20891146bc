// The files that a link reads, as a rule for make (`--dependency-file`).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bpflink {

/// A file's name in a spelling that make, ninja and CMake all understand; nothing if there is none.
std::optional<std::string> escape_dependency(std::string_view name);

/// A make rule by which the output depends on the files, and one for each file, so that make does
/// not stop if a file is gone. Names without a spelling (escape_dependency()) are omitted; the
/// result is empty if the output has none.
std::string make_dependencies(const std::string& output, const std::vector<std::string>& files);

}  // namespace bpflink
