// What programs cost, and who uses the maps and variables.
#pragma once

#include "linker/object/contents.hpp"
#include "linker/report/model.hpp"
#include "linker/report/output_parts.hpp"

namespace bpflink {

/// Fills in the programs, maps and variables of the output, which has been read as an object.
void describe_programs(const ObjectFile& output, const OutputParts& parts, OutputModel& model);

}  // namespace bpflink
