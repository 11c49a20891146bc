// Pass: open a temporary file beside each output.
//
// commit_outputs() renames them. An unwritable target fails here, before any work.
#include "linker/report/report_files.hpp"
#include "linker/state/context.hpp"

namespace bpflink {
namespace {

std::expected<OutputFile, Error> open_object(const OutputTarget& target) {
  if (target.fd) return OutputFile::open(*target.fd);
  return target.path && !target.convert ? OutputFile::open(*target.path)
                                        : OutputFile::open_in_memory();
}

}  // namespace

void open_outputs(Context& context) {
  const OutputTarget& target = context.target;
  auto opened = [&](std::expected<Outputs::Output*, OutputProblem> output) {
    if (!output) report_output(context, std::move(output.error()));
    return output.value_or(nullptr);
  };
  context.object_output =
      opened(context.outputs.add(target.convert ? "" : "-o", target.path.value_or("the output"),
                                 /*is_object=*/true, open_object(target)));
  if (target.convert) opened(context.outputs.open("-o", *target.path));
  for (const ReportFile& report : report_files)
    if (const std::string& path = context.options.*report.path; !path.empty())
      opened(context.outputs.open(std::string(report.option), path));
}

void report_output(Context& context, OutputProblem problem, Severity severity) {
  context.diagnostics.report({.severity = severity,
                              .message = std::move(problem.message),
                              .code = DiagnosticCode::OutputFailure,
                              .file = std::move(problem.file)});
}

}  // namespace bpflink
