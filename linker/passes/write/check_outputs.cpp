// Pass: refuse to overwrite inputs.
#include <algorithm>

#include "linker/files/common_origin.hpp"
#include "linker/state/context.hpp"

namespace bpflink {

void check_outputs(Context& context) {
  auto is_related = [&](const ObjectFile& replaced) {
    return std::ranges::any_of(
        context.objects, [&](const auto& input) { return have_common_origin(replaced, *input); });
  };
  for (OutputProblem& problem : context.outputs.check(named_files(context.files), is_related)) {
    // Whoever calls rustc has named no file, and assembly looks like a source.
    if (problem.is_suspicion && context.options.for_rustc) continue;
    // libbpf's linker overwrites any file, so for a partial link this is a warning only.
    bool is_warning = problem.is_suspicion && context.options.partial;
    report_output(context, std::move(problem), is_warning ? Severity::Warning : Severity::Error);
  }
}

}  // namespace bpflink
