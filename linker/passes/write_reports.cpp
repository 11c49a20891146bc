// Pass: write the reports that go to files, and the converted object.
#include <fmt/format.h>

#include "linker/context.hpp"
#include "linker/io/dependency_rule.hpp"
#include "linker/io/write_all.hpp"
#include "linker/report/report_json.hpp"
#include "linker/report/size_map.hpp"

namespace bpflink {
namespace {

/// The converted form of the linked object.
std::expected<std::string, Error> convert_object(const Context& context) {
  const PendingOutput& object = context.outputs.front();
  auto written = InputFile::open(object.file.fd(), object.name);
  if (!written) return std::unexpected(written.error());
  return context.target.convert(written->bytes());
}

std::string list_dependencies(Context& context) {
  const std::string& output = context.outputs.front().name;
  auto warn = [&](std::string_view name, std::string_view consequence) {
    context.diagnostics.warning(fmt::format(
        "--dependency-file: make, ninja and CMake do not read '{}' alike: {}", name, consequence));
  };
  if (!escape_dependency(output))
    warn(output, "there is no rule for the output");
  else
    for (const std::string& file : context.report->files)
      if (!escape_dependency(file)) warn(file, "it is omitted");
  return make_dependencies(output, context.report->files);
}

std::expected<std::string, Error> make_text(Context& context, PendingOutput::Contents contents) {
  switch (contents) {
    case PendingOutput::Contents::Map:
      return context.report->map;
    case PendingOutput::Contents::Dependencies:
      return list_dependencies(context);
    case PendingOutput::Contents::Json:
      return make_json(*context.report, *context.model);
    case PendingOutput::Contents::SizeMap:
      return make_size_map(*context.model);
    case PendingOutput::Contents::Converted:
      return convert_object(context);
    case PendingOutput::Contents::Object:
      break;
  }
  return "";
}

}  // namespace

void write_reports(Context& context) {
  for (const PendingOutput& output : context.outputs) {
    if (output.contents == PendingOutput::Contents::Object) continue;
    auto text = make_text(context, output.contents);
    if (!text) {
      fail_output(context, output.name, text.error());
      continue;
    }
    if (auto ok = write_all(output.file.fd(), std::as_bytes(std::span(*text))); !ok)
      fail_output(context, output.name, ok.error());
  }
}

}  // namespace bpflink
