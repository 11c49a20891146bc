// Pass: the reports that the user wants in files, each beside its place.
#include "linker/context.hpp"
#include "linker/io/write_all.hpp"
#include "linker/report/report_text.hpp"
#include "linker/report/size_map.hpp"

namespace bpflink {
namespace {

std::string make_text(const Context& context, PendingOutput::Contents contents) {
  switch (contents) {
    case PendingOutput::Contents::Map:
      return context.report->map;
    case PendingOutput::Contents::Dependencies:
      return make_dependencies(context.outputs.front().name, context.report->files);
    case PendingOutput::Contents::Json:
      return make_json(*context.report, *context.output_report);
    case PendingOutput::Contents::SizeMap:
      return make_size_map(*context.output_report);
    case PendingOutput::Contents::Object:
      break;
  }
  return "";
}

}  // namespace

void write_reports(Context& context) {
  for (const PendingOutput& output : context.outputs) {
    if (output.contents == PendingOutput::Contents::Object) continue;
    std::string text = make_text(context, output.contents);
    if (auto ok = write_all(output.file.fd(), std::as_bytes(std::span(text))); !ok)
      fail_output(context, output.name, ok.error());
  }
}

}  // namespace bpflink
