// A linked object as nodes of a model.
#pragma once

#include <vector>

#include "linker/context.hpp"
#include "linker/report/model.hpp"
#include "linker/report/output_parts.hpp"

namespace bpflink {

/// Adds all bytes of the output, which has been read back, to the model: code and data by their
/// symbols, tables by what their entries are about. What remains of a section, and of the file, is
/// padding, so that the sum is the file's size. Adds what was dropped of the inputs' .BTF. Returns
/// the node of each part.
std::vector<uint32_t> add_output(const Context& context, const ObjectFile& output,
                                 const OutputParts& parts, OutputModel& model);

}  // namespace bpflink
