// Pass: rename all outputs to their places, or none.
//
// The object comes last. Build tools check only the object: if it is new, the link has succeeded.
#include <algorithm>

#include "linker/context.hpp"

namespace bpflink {
namespace {

/// Copies the linked object to memory, if that is the target.
void take_into_memory(Context& context) {
  const PendingOutput& output = context.outputs.front();
  auto written = InputFile::open(output.file.fd(), output.name);
  if (!written) return fail_output(context, output.name, written.error());
  context.memory.assign(written->bytes().begin(), written->bytes().end());
}

}  // namespace

void commit_outputs(Context& context) {
  if (!context.target.path && !context.target.fd) take_into_memory(context);
  std::vector<OutputFile*> files;
  files.reserve(context.outputs.size());
  for (PendingOutput& output : context.outputs) files.push_back(&output.file);
  std::ranges::reverse(files);
  for (const auto& [index, error] : OutputFile::commit_all(files))
    fail_output(context, context.outputs[files.size() - 1 - index].name, error);
}

}  // namespace bpflink
