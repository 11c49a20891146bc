// A LinkReport as the text of files.
#pragma once

#include <string>
#include <vector>

#include "bpflink/report.hpp"
#include "linker/report/output_report.hpp"

namespace bpflink {

/// A rule of make: the output depends on the files; and one for each file, so
/// that make does not stop where one is gone.
std::string make_dependencies(const std::string& output, const std::vector<std::string>& files);

/// The figures, without the map and the cross references, and what is known of the output.
std::string make_json(const LinkReport& report, const OutputReport& output);

}  // namespace bpflink
