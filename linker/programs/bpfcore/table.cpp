// Programs by kernels, one character for each cell.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "dedup/for_linker.hpp"
#include "dedup/messages.hpp"
#include "linker/programs/bpfcore/results.hpp"
#include "linker/text/diagnostics.hpp"

namespace bpflink {
namespace {

constexpr size_t longest_name = 32;

std::string shortened(std::string_view name) {
  return printable(
      name.size() <= longest_name ? name : std::string(name.substr(0, longest_name - 3)) + "...");
}

/// Kernels side by side in which the programs of an object have the same cells.
struct Column {
  std::string label;  ///< "3" or "3-7"
  std::vector<std::string> cells;
  size_t width = 0;
};

/// The character that stands for a status, and behind it the instructions that a kernel processed.
std::vector<std::string> cells_of(const CoreResults& results) {
  constexpr std::string_view marks = "+g?X";
  std::vector<std::string> cells;
  cells.reserve(results.statuses.size());
  for (CoreStatus status : results.statuses)
    cells.emplace_back(1, marks[static_cast<size_t>(status)]);
  for (size_t i = 0; i < results.loads.size(); ++i) {
    const LoadResult& load = results.loads[i];
    bool is_predicted = load.predicted == CoreStatus::Fails;
    if (results.statuses[i] == CoreStatus::Fails && !is_predicted)
      cells[i] = name_of(load.kind).letter;
    if (load.instructions != 0) cells[i] += fmt::format(" {}", load.instructions);
  }
  return cells;
}

std::vector<Column> columns_of(const CoreReport& report, size_t object) {
  std::vector<Column> columns;
  size_t first = 0;
  for (size_t kernel = 0; kernel < report.kernels.size(); ++kernel) {
    auto cells = cells_of(report.results[kernel][object]);
    if (columns.empty() || columns.back().cells != cells) {
      first = kernel;
      columns.push_back({std::to_string(kernel + 1), std::move(cells)});
    } else {
      columns.back().label = fmt::format("{}-{}", first + 1, kernel + 1);
    }
  }
  for (Column& column : columns) {
    column.width = column.label.size();
    for (const std::string& cell : column.cells) column.width = std::max(column.width, cell.size());
  }
  return columns;
}

/// The rows of an object, for some of its columns.
void add_rows(const CoreObject& object, size_t width, std::span<const Column> columns,
              std::string& text) {
  text += fmt::format("{:{}}", "", width + 2);
  for (const Column& column : columns) text += fmt::format(" {:>{}}", column.label, column.width);
  text += '\n';
  std::span<const Program> programs = object.object.programs();
  for (size_t program = 0; program < programs.size(); ++program) {
    text += fmt::format("{:{}}  ", shortened(programs[program].name), width);
    for (const Column& column : columns)
      text += fmt::format(" {:>{}}", column.cells[program], column.width);
    if (object.is_optional[program]) text += "  (optional)";
    text += '\n';
  }
}

/// What the letters in the cells of a load mean, those that there are.
std::string legend_of_load(const CoreReport& report) {
  std::array<bool, static_cast<size_t>(LoadResult::Kind::Ended) + 1> is_used{};
  for (const auto& of_kernel : report.results)
    for (const CoreResults& results : of_kernel)
      for (const LoadResult& load : results.loads)
        if (load.predicted != CoreStatus::Fails) is_used[static_cast<size_t>(load.kind)] = true;
  std::string legend = "+ g load, with instructions processed";
  for (size_t i = 0; i < is_used.size(); ++i) {
    const LoadKindName& name = name_of(static_cast<LoadResult::Kind>(i));
    const std::string entry = fmt::format("   {} {}", name.letter, name.meaning);
    if (is_used[i] && name.letter != '+' && !legend.contains(entry)) legend += entry;
  }
  return legend + "   X fails, as check finds";
}

bool is_booted(const CoreReport& report) {
  return !report.results[0][0].loads.empty();
}

/// " 1.8"; several, if guests of several machines have others.
std::string versions_of_libbpf(const CoreReport& report) {
  std::set<std::string> versions;
  for (const KernelSummary& kernel : report.kernels)
    if (!kernel.libbpf.empty()) versions.insert(" " + kernel.libbpf);
  return fmt::format("{}", fmt::join(versions, " and"));
}

}  // namespace

std::string make_table(const CoreReport& report, size_t terminal_width) {
  std::string text;
  size_t digits = std::to_string(report.kernels.size()).size();
  for (size_t i = 0; i < report.kernels.size(); ++i) {
    const KernelSummary& kernel = report.kernels[i];
    text += fmt::format("{:>{}}  {}", i + 1, digits, printable(kernel.name));
    const KernelIdentity& known = kernel.identity;
    if (!known.release.empty() && kernel.name.find(known.release) == kernel.name.npos)
      text += fmt::format("  {}", known.release);
    if (!known.arch.empty()) text += fmt::format("  {}", known.arch);
    if (!kernel.libbpf.empty()) text += fmt::format("  libbpf {}", kernel.libbpf);
    text += '\n';
  }
  size_t width = 0;
  for (const CoreObject& object : report.objects)
    for (const Program& program : object.object.programs())
      width = std::max(width, std::min(program.name.size(), longest_name));
  for (size_t i = 0; i < report.objects.size(); ++i) {
    text += fmt::format("\n{}\n", printable(report.objects[i].name));
    std::vector<Column> columns = columns_of(report, i);
    for (size_t begin = 0, end = 0; begin < columns.size(); begin = end) {
      size_t used = width + 2;
      do {
        used += 1 + columns[end].width;
        ++end;
      } while (end < columns.size() &&
               (terminal_width == 0 || used + 1 + columns[end].width <= terminal_width));
      add_rows(report.objects[i], width, std::span(columns).subspan(begin, end - begin), text);
    }
  }
  for (const std::string& name : report.unread)
    text += fmt::format("\n{}\n{}  ?  cannot be read\n", name, std::string(width, ' '));
  text += fmt::format(
      "\n{}\n", is_booted(report)
                    ? legend_of_load(report)
                    : "+ everything resolves   g failures are guarded   ? not known   X fails");
  return text;
}

std::string summarize(const CoreReport& report) {
  size_t count = 0, fitting = 0, unknown = 0, with_others = 0, by_loader = 0;
  for (size_t object = 0; object < report.objects.size(); ++object) {
    size_t programs = report.objects[object].object.programs().size();
    for (size_t program = 0; program < programs; ++program) {
      CoreStatus worst{}, alone{};
      bool is_of_loader = false;
      for (const auto& of_kernel : report.results) {
        if (!of_kernel[object].loads.empty())
          is_of_loader |= of_kernel[object].loads[program].kind == LoadResult::Kind::Loader;
        worst = std::max(worst, of_kernel[object].statuses[program]);
        alone = std::max(alone, of_kernel[object].alone[program]);
      }
      fitting += worst < CoreStatus::Unknown ? 1 : 0;
      unknown += worst == CoreStatus::Unknown ? 1 : 0;
      by_loader += is_of_loader ? 1 : 0;
      with_others += worst == CoreStatus::Fails && alone != worst ? 1 : 0;
    }
    count += programs;
  }
  size_t kernels = report.kernels.size();
  return fmt::format(
      "{} of {} {} {}{}{}{}\n", fitting, count_of(count, "program"),
      is_booted(report) ? agree(count, "loads on", "load on") : agree(count, "fits", "fit"),
      kernels == 1 ? printable(report.kernels[0].name) : fmt::format("all {} kernels", kernels),
      unknown == 0 ? "" : fmt::format("; {} {} unknown", unknown, agree(unknown, "is", "are")),
      with_others == 0
          ? ""
          : fmt::format("; {} only because another {} fails", with_others,
                        is_booted(report) ? "that is loaded with it" : "of its struct_ops map"),
      by_loader == 0 ? ""
                     : fmt::format("; {} refused by libbpf{}, not by a kernel", by_loader,
                                   versions_of_libbpf(report)));
}

}  // namespace bpflink
