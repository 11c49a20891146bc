// Pass: rename all outputs to their places.
#include "linker/state/context.hpp"

namespace bpflink {

void commit_outputs(Context& context) {
  if (context.finish)
    if (auto ok = context.finish(context.report); !ok)
      return report_output(context, {"", std::move(ok.error().message)});
  // The linked object comes last. Build tools check only the object: if it is new, the link has
  // succeeded.
  if (auto ok = context.outputs.commit(); !ok) report_output(context, std::move(ok.error()));
}

}  // namespace bpflink
