// The parts of a rendered diagnostic, for JSON and the C interface.
#pragma once

#include <string>
#include <vector>

#include "bpflink/diagnostic.hpp"

namespace bpflink {

/// What follows the message, a line each, with names as the inputs have them.
std::vector<std::string> detail_lines(const Diagnostic& diagnostic);

/// The places that a diagnostic is about, the most important first. They last as long as it.
std::vector<const DiagnosticLocation*> places_of(const Diagnostic& diagnostic);

}  // namespace bpflink
