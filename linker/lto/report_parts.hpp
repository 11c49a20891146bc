// What bpflink-lto and LLVM say, as diagnostics.
#pragma once

#include <functional>

#include "linker/lto/backend.hpp"
#include "linker/text/diagnostics.hpp"

namespace bpflink::lto {

/// Finds where a function of the modules is defined; an empty location if it does not know.
using FindFunction = std::function<DiagnosticLocation(std::string_view name)>;

/// Whether a part is an error or a warning about a module of the request.
bool is_message(const Request& request, const Part& part);

/// What such a part says.
Diagnostic to_diagnostic(const Request& request, const Part& part,
                         const FindFunction& find_function = {});

/// Reports the errors and warnings of a reply, and a crash.
void report_parts(Diagnostics& diagnostics, const Request& request, const Reply& reply,
                  const FindFunction& find_function);

}  // namespace bpflink::lto
