// The parts of a rendered diagnostic, for JSON and the C interface.
#pragma once

#include <string>
#include <vector>

#include "bpflink/diagnostic.hpp"

namespace bpflink {

/// The lines after the message, with names unescaped.
std::vector<std::string> detail_lines(const Diagnostic& diagnostic);

/// The places of a diagnostic, the most important first. They live as long as it.
std::vector<const DiagnosticLocation*> places_of(const Diagnostic& diagnostic);

}  // namespace bpflink
