// Passes: open, check, write, read back and rename the outputs: the object and its reports.
//
// Each is written to a temporary file beside its place, which the last pass renames. So an
// unwritable target fails before any work, and whatever fails leaves the old files.
#include <fmt/format.h>

#include <algorithm>

#include "linker/files/common_origin.hpp"
#include "linker/report/report_files.hpp"
#include "linker/state/context.hpp"

namespace bpflink {
namespace {

std::expected<OutputFile, Error> open_object(const OutputTarget& target) {
  if (target.fd) return OutputFile::open(*target.fd);
  return target.path && !target.convert ? OutputFile::open(*target.path)
                                        : OutputFile::open_in_memory();
}

void write(Context& context, std::string_view option, std::string_view text) {
  const Outputs::Output& output = *context.outputs.find(option);
  if (auto ok = Outputs::write(output, std::as_bytes(std::span(text))); !ok)
    report_output(context, std::move(ok.error()));
}

/// Opens the linked object to be read, and reports if that fails.
std::optional<InputFile> read_object(Context& context) {
  const Outputs::Output& object = *context.object_output;
  auto file = InputFile::open(object.file.fd(), object.name);
  if (file) return std::move(*file);
  report_output(context, Outputs::problem_of(object.name, file.error()));
  return std::nullopt;
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

void read_output(Context& context) {
  auto file = read_object(context);
  if (!file) return;
  auto object = ObjectFile::read(context.object_output->name, file->bytes(),
                                 {.keep_debug = true, .is_renamed = context.options.kernel_names});
  if (!object)
    return context.diagnostics.error(
        fmt::format("internal error: the output is malformed: {}", object.error().message), {},
        DiagnosticCode::OutputFailure);
  context.written_file = std::move(*file);
  context.written = std::move(*object);
}

void write_reports(Context& context) {
  for (const ReportFile& report : report_files)
    if (!(context.options.*report.path).empty())
      write(context, report.option, report.make(context));
  bool is_for_memory = !context.target.path && !context.target.fd;
  if (!is_for_memory && !context.target.convert) return;
  auto object = read_object(context);
  if (!object) return;
  if (is_for_memory) return context.memory.assign(object->bytes().begin(), object->bytes().end());
  if (auto text = context.target.convert(object->bytes()))
    write(context, "-o", *text);
  else
    report_output(context, Outputs::problem_of(context.object_output->name, text.error()));
}

void commit_outputs(Context& context) {
  if (context.finish)
    if (auto ok = context.finish(context.report); !ok)
      return report_output(context, {"", std::move(ok.error().message)});
  // The linked object comes last. Build tools check only the object: if it is new, the link has
  // succeeded.
  if (auto ok = context.outputs.commit(); !ok) report_output(context, std::move(ok.error()));
}

}  // namespace bpflink
