// What is large, as lists for a terminal (`--print-sizes`).
#pragma once

#include <string>

#include "linker/report/model.hpp"

namespace bpflink {

/// The `most` costliest programs, maps, types, source lines and files, what can be saved, and the
/// largest changes, in lines of at most 80 columns.
std::string make_sizes_text(const OutputModel& model, unsigned most);

}  // namespace bpflink
