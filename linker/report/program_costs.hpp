// What programs cost, and who uses the maps and variables.
#pragma once

#include "linker/object/contents.hpp"
#include "linker/report/output_graph.hpp"
#include "linker/report/output_report.hpp"

namespace bpflink {

/// Fills in the programs, maps and variables of the output, which has been read as an object.
void describe_programs(const ObjectFile& output, const OutputGraph& graph, OutputReport& report);

}  // namespace bpflink
