#include "linker/report/report_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "linker/report/reports.hpp"
#include "linker/state/context.hpp"

namespace bpflink {
namespace {

/// Whether ninja accepts the byte in a name, and make and CMake give it no special meaning. Make
/// and ninja mostly accept a backslash, but CMake reads it as a slash; '%' in a rule's target makes
/// a pattern rule of make.
bool is_plain_in_dependencies(char c) {
  constexpr std::string_view plain = "+,/_.-@!()[]{}~";
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & 0x80) != 0 || plain.contains(c);
}

/// A file's name in a spelling that make, ninja and CMake all understand; nothing if there is none.
std::optional<std::string> escape_dependency(std::string_view name) {
  // Make expands '~' to a home directory and drops a blank at the end of a line.
  if (name.starts_with('~') || name.ends_with(' ')) return std::nullopt;
  std::string text;
  for (char c : name) {
    if (c == '$')
      text += '$';
    else if (c == ' ' || c == '#')
      text += '\\';
    else if (!is_plain_in_dependencies(c))
      return std::nullopt;
    text += c;
  }
  return text;
}

/// A make rule by which the output depends on the files, and one for each file, so that make does
/// not stop if a file is gone. Names without a spelling (escape_dependency()) are omitted; the
/// result is empty if the output has none.
std::string make_dependencies(const std::string& output, const std::vector<std::string>& files) {
  auto target = escape_dependency(output);
  if (!target) return "";
  std::string rule = *target + ":", rules_of_files;
  for (const std::string& file : files) {
    auto name = escape_dependency(file);
    if (!name) continue;
    rule += fmt::format(" \\\n  {}", *name);
    rules_of_files += fmt::format("\n{}:\n", *name);
  }
  return rule + "\n" + rules_of_files;
}

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
