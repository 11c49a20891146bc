// Pass: the linked object is written, to a file beside its place.
#include "linker/context.hpp"
#include "linker/elf/elf_writer.hpp"

namespace bpflink {

void write_output(Context& context) {
  const PendingOutput& output = context.outputs.front();
  if (auto ok = write_elf(context, output.file.fd()); !ok)
    fail_output(context, output.name, ok.error());
}

}  // namespace bpflink
