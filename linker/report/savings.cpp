// What the output would save with other options: the sizes of other links.
#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "linker/context.hpp"
#include "linker/report/report_files.hpp"
#include "linker/report/reports.hpp"

namespace bpflink {
namespace {

/// Prefixes of archives as prefixes of their members, which are linked again without them.
void give_prefixes_to_members(const Context& context, LinkOptions& options) {
  auto of_inputs = std::exchange(options.prefix_symbols_of, {});
  for (const auto& [input, prefix] : of_inputs) {
    std::set<std::string> names;
    for (const auto& object : context.objects)
      if (object->name == input || object->name.starts_with(input + '('))
        names.insert(object->name);
    for (const std::string& name : names) options.prefix_symbols_of.emplace_back(name, prefix);
  }
}

/// The size that the output would have with other options; nothing if the link fails.
std::optional<uint64_t> link_again(const Context& context, LinkOptions options) {
  for (const ReportFile& report : report_files) (options.*report.path).clear();
  options.explain.clear();
  options.print_sizes = 0;
  options.report = options.verify = options.fatal_warnings = false;
  give_prefixes_to_members(context, options);
  Linker linker(std::move(options), {});
  for (const auto& object : context.objects) linker.add_memory(object->name, object->image);
  uint64_t size = 0;
  bool is_linked = linker.link_to_file("/dev/null", [&](std::span<const std::byte> object) {
    size = object.size();
    return std::expected<std::string, Error>();
  });
  return is_linked ? std::optional(size) : std::nullopt;
}

}  // namespace

std::vector<Saving> find_savings(const Context& context) {
  uint64_t bytes = context.model->bytes;
  std::vector<Saving> savings;
  for (auto [flag, option, what] : saving_options) {
    bool is_of_programs = flag == &LinkOptions::gc_sections;
    if (context.options.*flag || (is_of_programs && context.model->programs.empty())) continue;
    LinkOptions options = context.options;
    options.*flag = true;
    if (auto smaller = link_again(context, std::move(options)); smaller && *smaller < bytes)
      savings.push_back({option, what, bytes - *smaller});
  }
  std::ranges::stable_sort(savings, std::greater(), &Saving::bytes);
  return savings;
}

}  // namespace bpflink
