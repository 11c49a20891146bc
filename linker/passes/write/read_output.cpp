// Pass: read the written object back, for the passes that check and measure it.
#include <fmt/format.h>

#include "linker/state/context.hpp"

namespace bpflink {

void read_output(Context& context) {
  const Outputs::Output& output = *context.object_output;
  auto file = InputFile::open(output.file.fd(), output.name);
  if (!file) return report_output(context, Outputs::problem_of(output.name, file.error()));
  auto object = ObjectFile::read(output.name, file->bytes(),
                                 {.keep_debug = true, .is_renamed = context.options.kernel_names});
  if (!object)
    return context.diagnostics.error(
        fmt::format("internal error: the output is malformed: {}", object.error().message), {},
        DiagnosticCode::OutputFailure);
  context.written_file = std::move(*file);
  context.written = std::move(*object);
}

}  // namespace bpflink
