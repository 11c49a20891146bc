// What bpflink-lto and LLVM say, as diagnostics.
#pragma once

#include <functional>

#include "linker/lto/backend.hpp"
#include "linker/text/diagnostics.hpp"

namespace bpflink::lto {

/// What a part that is an error or a warning says, to stand behind the module's name.
std::string message_of(const Request& request, const Part& part);

/// Finds where a function of the modules is defined; an empty location if it does not know.
using FindFunction = std::function<DiagnosticLocation(std::string_view name)>;

/// Reports the errors and warnings of a reply, and a crash.
void report_parts(Diagnostics& diagnostics, const Request& request, const Reply& reply,
                  const FindFunction& find_function);

}  // namespace bpflink::lto
