// Pass: the outputs take their places, all or none.
//
// What can fail is done first, for all of them. Then what goes to pipes and
// devices is sent, and at last the files get their names, which hardly fails.
#include <algorithm>

#include "linker/context.hpp"

namespace bpflink {
namespace {

/// The linked object, for a caller who wants it in memory.
void take_into_memory(Context& context) {
  const PendingOutput& output = context.outputs.front();
  auto written = InputFile::open(output.file.fd(), output.name);
  if (!written) return fail_output(context, output.name, written.error());
  context.memory.assign(written->bytes().begin(), written->bytes().end());
}

}  // namespace

void commit_outputs(Context& context) {
  if (!context.target.path && !context.target.fd) take_into_memory(context);
  for (PendingOutput& output : context.outputs)
    if (auto ok = output.file.prepare(); !ok) return fail_output(context, output.name, ok.error());
  for (bool is_special : {true, false})
    for (PendingOutput& output : context.outputs)
      if (output.file.is_special() == is_special)
        if (auto ok = output.file.commit(); !ok)
          return fail_output(context, output.name, ok.error());
}

}  // namespace bpflink
