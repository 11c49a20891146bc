// The parts of a rendered diagnostic, for JSON and the C interface.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bpflink/diagnostic.hpp"

namespace bpflink {

/// The lines after the message, with names unescaped.
std::vector<std::string> detail_lines(const Diagnostic& diagnostic);

/// The places of a diagnostic, the most important first. They live as long as it.
std::vector<const DiagnosticLocation*> places_of(const Diagnostic& diagnostic);

/// A diagnostic as bpflink-reports(5) has it, for programs.
nlohmann::ordered_json to_json(const Diagnostic& diagnostic);
/// JSON on one line, escaped to ASCII: names stay exact, and control characters do not reach a
/// terminal. Bytes that are not UTF-8 are replaced.
std::string json_line(const nlohmann::ordered_json& json);

}  // namespace bpflink
