#include "linker/report/report_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "linker/context.hpp"
#include "linker/report/dependency_rule.hpp"
#include "linker/report/reports.hpp"

namespace bpflink {
namespace {

std::string list_dependencies(Context& context) {
  const std::string& output = context.object_output->name;
  auto warn = [&](std::string_view name, std::string_view consequence) {
    context.diagnostics.warning(fmt::format(
        "--dependency-file: make, ninja and CMake do not read '{}' alike: {}", name, consequence));
  };
  if (!escape_dependency(output))
    warn(output, "there is no rule for the output");
  else
    for (const std::string& file : context.report.files)
      if (!escape_dependency(file)) warn(file, "it is omitted");
  return make_dependencies(output, context.report.files);
}

}  // namespace

const std::array<ReportFile, 4> report_files = {{
    {"--Map", &LinkOptions::map_file, false, [](Context& context) { return make_map(context); }},
    {"--dependency-file", &LinkOptions::dependency_file, false, list_dependencies},
    {"--json", &LinkOptions::json_file, true,
     [](Context& context) { return make_json(context.report, *context.model); }},
    {"--size-map", &LinkOptions::size_map_file, true,
     [](Context& context) { return make_size_map(*context.model); }},
}};

bool lists_dropped(const LinkOptions& options) {
  return std::ranges::any_of(report_files, [&](const ReportFile& report) {
    return report.shows_model && !(options.*report.path).empty();
  });
}

bool shows_model(const LinkOptions& options) {
  return options.print_sizes != 0 || lists_dropped(options);
}

}  // namespace bpflink
