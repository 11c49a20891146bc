// Reports as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bpflink/report.hpp"
#include "linker/report/model.hpp"

namespace bpflink {

/// Adds the fields of the report to an object, as bpflink-reports(5) and output.schema.json
/// have them.
void add_model(nlohmann::ordered_json& json, const OutputModel& model);

/// What --json writes: the figures of a link, without the map and the cross references, and the
/// model of its output.
std::string make_json(const LinkReport& report, const OutputModel& output);

/// The text of JSON whose strings may be names of files, which need not be UTF-8.
std::string to_text(const nlohmann::ordered_json& json, int indent);

}  // namespace bpflink
