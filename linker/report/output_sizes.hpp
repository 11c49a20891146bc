// Where the bytes of the output's file come from.
#pragma once

#include <vector>

#include "linker/report/output_index.hpp"
#include "linker/report/output_report.hpp"

namespace bpflink {

/// All bytes of the file: headers, sections, what is between them. `output` is the reading of what
/// was written for the context.
std::vector<SizeSection> measure_output(const Context& context, const OutputIndex& index,
                                        const ObjectFile& output);

}  // namespace bpflink
