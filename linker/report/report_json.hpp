// The report on the output as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "linker/report/model.hpp"

namespace bpflink {

/// Adds the fields of the report to an object, as bpflink-reports(5) and output.schema.json
/// have them.
void add_model(nlohmann::ordered_json& json, const OutputModel& model);

/// The text of JSON whose strings may be names of files, which need not be UTF-8.
std::string to_text(const nlohmann::ordered_json& json, int indent);

}  // namespace bpflink
