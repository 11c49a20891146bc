// Programs by kernels, one character for each cell.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "dedup/internal.hpp"
#include "linker/programs/bpfcore/shown.hpp"
#include "linker/text/diagnostics.hpp"

namespace bpflink {
namespace {

constexpr size_t longest_name = 32;

std::string shortened(std::string_view name) {
  return name.size() <= longest_name ? std::string(name)
                                     : std::string(name.substr(0, longest_name - 3)) + "...";
}

/// The character that stands for a status.
char status_mark(CoreStatus status) {
  constexpr std::string_view marks = "+g?X";
  return marks[static_cast<size_t>(status)];
}

/// Kernels side by side in which the programs of an object have the same statuses.
struct Column {
  std::string label;  ///< "3" or "3-7"
  std::vector<CoreStatus> statuses;
};

std::vector<Column> columns_of(const CoreReport& report, size_t object) {
  std::vector<Column> columns;
  size_t first = 0;
  for (size_t kernel = 0; kernel < report.kernels.size(); ++kernel) {
    const auto& statuses = report.results[kernel][object].statuses;
    if (columns.empty() || columns.back().statuses != statuses) {
      first = kernel;
      columns.push_back({std::to_string(kernel + 1), statuses});
    } else {
      columns.back().label = fmt::format("{}-{}", first + 1, kernel + 1);
    }
  }
  return columns;
}

/// The rows of an object, for some of its columns.
void add_rows(const CoreObject& object, size_t width, std::span<const Column> columns,
              std::string& text) {
  text += fmt::format("{:{}}", "", width + 2);
  for (const Column& column : columns) text += " " + column.label;
  text += '\n';
  std::span<const Program> programs = object.object.programs();
  for (size_t program = 0; program < programs.size(); ++program) {
    text += fmt::format("{:{}}  ", shortened(programs[program].name), width);
    for (const Column& column : columns)
      text += fmt::format(" {:>{}}", status_mark(column.statuses[program]), column.label.size());
    if (object.is_optional[program]) text += "  (optional)";
    text += '\n';
  }
}

}  // namespace

std::string make_table(const CoreReport& report, size_t terminal_width) {
  std::string text;
  size_t digits = std::to_string(report.kernels.size()).size();
  for (size_t i = 0; i < report.kernels.size(); ++i) {
    const KernelSummary& kernel = report.kernels[i];
    text += fmt::format("{:>{}}  {}", i + 1, digits, kernel.name);
    const KernelIdentity& known = kernel.identity;
    if (!known.release.empty() && kernel.name.find(known.release) == kernel.name.npos)
      text += fmt::format("  {}", known.release);
    if (!known.arch.empty()) text += fmt::format("  {}", known.arch);
    text += '\n';
  }
  size_t width = 0;
  for (const CoreObject& object : report.objects)
    for (const Program& program : object.object.programs())
      width = std::max(width, std::min(program.name.size(), longest_name));
  for (size_t i = 0; i < report.objects.size(); ++i) {
    text += fmt::format("\n{}\n", report.objects[i].name);
    std::vector<Column> columns = columns_of(report, i);
    for (size_t begin = 0, end = 0; begin < columns.size(); begin = end) {
      size_t used = width + 2;
      do {
        used += 1 + columns[end].label.size();
        ++end;
      } while (end < columns.size() &&
               (terminal_width == 0 || used + 1 + columns[end].label.size() <= terminal_width));
      add_rows(report.objects[i], width, std::span(columns).subspan(begin, end - begin), text);
    }
  }
  text += "\n+ everything resolves   g failures are guarded   ? not known   X fails\n";
  return text;
}

std::string summarize(const CoreReport& report) {
  size_t count = 0, fitting = 0, unknown = 0, with_others = 0;
  for (size_t object = 0; object < report.objects.size(); ++object) {
    size_t programs = report.objects[object].object.programs().size();
    for (size_t program = 0; program < programs; ++program) {
      CoreStatus worst{}, alone{};
      for (const auto& of_kernel : report.results) {
        worst = std::max(worst, of_kernel[object].statuses[program]);
        alone = std::max(alone, of_kernel[object].alone[program]);
      }
      fitting += worst < CoreStatus::Unknown ? 1 : 0;
      unknown += worst == CoreStatus::Unknown ? 1 : 0;
      with_others += worst == CoreStatus::Fails && alone != worst ? 1 : 0;
    }
    count += programs;
  }
  size_t kernels = report.kernels.size();
  return fmt::format(
      "{} of {} fit {}{}{}\n", fitting, count_of(count, "program"),
      kernels == 1 ? report.kernels[0].name : fmt::format("all {} kernels", kernels),
      unknown == 0 ? "" : fmt::format("; of {} it is not known", unknown),
      with_others == 0
          ? ""
          : fmt::format("; {} only because another of its struct_ops map fails", with_others));
}

}  // namespace bpflink
