// Pass: read the written object back, for the passes that check and measure it.
#include <fmt/format.h>

#include "linker/context.hpp"

namespace bpflink {

void read_output(Context& context) {
  const LinkOptions& options = context.options;
  if (!options.verify && options.json_file.empty() && options.size_map_file.empty() &&
      options.print_sizes == 0 && options.explain.empty())
    return;
  const PendingOutput& output = context.outputs.front();
  auto file = InputFile::open(output.file.fd(), output.name);
  if (!file) return fail_output(context, output.name, file.error());
  auto object = ObjectFile::read(output.name, file->bytes(), {.keep_debug = true});
  if (!object)
    return context.diagnostics.report(
        {.message =
             fmt::format("internal error: the output is malformed: {}", object.error().message),
         .code = DiagnosticCode::OutputFailure});
  context.written_file = std::move(*file);
  context.written = std::move(*object);
}

}  // namespace bpflink
