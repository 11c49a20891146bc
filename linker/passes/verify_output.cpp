// Pass: the output is read back and checked (`--verify`).
#include <fmt/format.h>

#include "linker/context.hpp"
#include "linker/report/verify.hpp"

namespace bpflink {

void verify_output(Context& context) {
  if (!context.options.verify) return;
  const PendingOutput& output = context.outputs.front();
  auto written = InputFile::open(output.file.fd(), output.name);
  if (!written) return fail_output(context, output.name, written.error());
  for (const std::string& fault : find_faults(written->bytes()))
    context.diagnostics.report(
        {.message = fmt::format("internal error: the output is malformed: {}", fault),
         .code = DiagnosticCode::OutputFailure});
}

}  // namespace bpflink
