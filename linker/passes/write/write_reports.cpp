// Pass: write the reports that go to files, and the converted object.
#include "linker/report/report_files.hpp"
#include "linker/state/context.hpp"

namespace bpflink {
namespace {

void write(Context& context, std::string_view option, std::string_view text) {
  const Outputs::Output& output = *context.outputs.find(option);
  if (auto ok = Outputs::write(output, std::as_bytes(std::span(text))); !ok)
    report_output(context, std::move(ok.error()));
}

/// Opens the linked object, and reports if that fails.
std::optional<InputFile> open_object(Context& context) {
  const Outputs::Output& object = *context.object_output;
  auto file = InputFile::open(object.file.fd(), object.name);
  if (file) return std::move(*file);
  report_output(context, Outputs::problem_of(object.name, file.error()));
  return std::nullopt;
}

}  // namespace

void write_reports(Context& context) {
  for (const ReportFile& report : report_files)
    if (!(context.options.*report.path).empty())
      write(context, report.option, report.make(context));
  bool is_for_memory = !context.target.path && !context.target.fd;
  if (!is_for_memory && !context.target.convert) return;
  auto object = open_object(context);
  if (!object) return;
  if (is_for_memory) return context.memory.assign(object->bytes().begin(), object->bytes().end());
  if (auto text = context.target.convert(object->bytes()))
    write(context, "-o", *text);
  else
    report_output(context, Outputs::problem_of(context.object_output->name, text.error()));
}

}  // namespace bpflink
