// A LinkReport as the text of files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/report.hpp"
#include "linker/report/model.hpp"

namespace bpflink {

/// A file's name as make, ninja and CMake read it alike; nothing where there is no such spelling.
std::optional<std::string> escape_dependency(std::string_view name);

/// A rule of make: the output depends on the files; and one for each file, so
/// that make does not stop where one is gone. Without the names that escape_dependency() has no
/// spelling for; empty where the output's is one of them.
std::string make_dependencies(const std::string& output, const std::vector<std::string>& files);

/// The figures, without the map and the cross references, and what is known of the output.
std::string make_json(const LinkReport& report, const OutputModel& output);

}  // namespace bpflink
