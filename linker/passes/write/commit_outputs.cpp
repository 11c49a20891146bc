// Pass: rename all outputs to their places, or none.
#include "linker/context.hpp"

namespace bpflink {

void commit_outputs(Context& context) {
  if (context.finish)
    if (auto ok = context.finish(context.report); !ok)
      return report_output(context, {"", std::move(ok.error().message)});
  // The linked object comes last. Build tools check only the object: if it is new, the link has
  // succeeded.
  for (OutputProblem& problem : context.outputs.commit())
    report_output(context, std::move(problem));
}

}  // namespace bpflink
