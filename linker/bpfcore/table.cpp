// Programs by kernels, one character for each cell.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "dedup/internal.hpp"
#include "linker/bpfcore/outputs.hpp"
#include "linker/diagnostics/diagnostics.hpp"

namespace bpflink {
namespace {

constexpr size_t longest_name = 32;

std::string shortened(std::string_view name) {
  return name.size() <= longest_name ? std::string(name)
                                     : std::string(name.substr(0, longest_name - 3)) + "...";
}

}  // namespace

char status_mark(CoreStatus status) {
  constexpr std::string_view marks = "+g?X";
  return marks[static_cast<size_t>(status)];
}

std::string make_table(const CoreReport& report) {
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
    const CoreObject& object = report.objects[i];
    std::span<const Program> programs = object.object.programs();
    text += fmt::format("\n{}\n{:{}}", object.name, "", width + 2);
    for (size_t kernel = 0; kernel < report.kernels.size(); ++kernel)
      text += fmt::format(" {:>{}}", kernel + 1, digits);
    text += '\n';
    std::vector<std::vector<CoreStatus>> by_kernel;
    by_kernel.reserve(report.kernels.size());
    for (size_t kernel = 0; kernel < report.kernels.size(); ++kernel)
      by_kernel.push_back(report.program_statuses(i, kernel));
    for (size_t program = 0; program < programs.size(); ++program) {
      text += fmt::format("{:{}}  ", shortened(programs[program].name), width);
      for (const auto& statuses : by_kernel)
        text += fmt::format(" {:>{}}", status_mark(statuses[program]), digits);
      if (object.is_optional[program]) text += "  (optional)";
      text += '\n';
    }
  }
  text += "\n+ everything resolves   g failures are guarded   ? not known   X fails\n";
  return text;
}

std::string summarize(const CoreReport& report) {
  size_t count = 0, fitting = 0, unknown = 0;
  for (size_t object = 0; object < report.objects.size(); ++object) {
    std::vector<CoreStatus> worst(report.objects[object].object.programs().size());
    for (size_t kernel = 0; kernel < report.kernels.size(); ++kernel) {
      auto statuses = report.program_statuses(object, kernel);
      std::ranges::transform(worst, statuses, worst.begin(), std::ranges::max);
    }
    count += worst.size();
    fitting +=
        std::ranges::count_if(worst, [](auto status) { return status < CoreStatus::Unknown; });
    unknown += std::ranges::count(worst, CoreStatus::Unknown);
  }
  size_t kernels = report.kernels.size();
  return fmt::format("{} of {} fit {}{}\n", fitting, count_of(count, "program"),
                     kernels == 1 ? report.kernels[0].name : fmt::format("all {} kernels", kernels),
                     unknown == 0 ? "" : fmt::format("; of {} it is not known", unknown));
}

}  // namespace bpflink
