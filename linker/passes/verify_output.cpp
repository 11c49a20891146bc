// Pass: the output is checked as it was written (`--verify`).
#include <fmt/format.h>

#include "linker/context.hpp"
#include "linker/report/verify.hpp"

namespace bpflink {

void verify_output(Context& context) {
  if (!context.options.verify) return;
  for (const std::string& fault : find_faults(*context.written))
    context.diagnostics.report(
        {.message = fmt::format("internal error: the output is malformed: {}", fault),
         .code = DiagnosticCode::OutputFailure});
}

}  // namespace bpflink
