// The lists of --print-sizes.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "dedup/for_linker.hpp"
#include "dedup/messages.hpp"
#include "linker/report/reports.hpp"

namespace bpflink {
namespace {

constexpr size_t line_width = 80;
constexpr uint64_t stack_limit = 512;  // bytes, of a program with all that it calls

bool begins_letter(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
}

/// Cuts text to a width, at its beginning or end. The end of a path says more than its beginning.
std::string elide(std::string_view text, size_t width, bool keeps_end) {
  std::string line = printable(text);
  auto letters = static_cast<size_t>(std::ranges::count_if(line, begins_letter));
  if (letters <= width) return line;
  size_t cut = keeps_end ? letters - width + 3 : width - 3, at = 0;
  for (; at < line.size(); ++at)
    if (begins_letter(line[at]) && cut-- == 0) break;
  return keeps_end ? "..." + line.substr(at) : line.substr(0, at) + "...";
}

/// Columns of numbers and, behind them, what has them.
class SizeTable {
 public:
  SizeTable(std::string title, std::vector<std::string> columns, bool is_of_paths = false)
      : title_(std::move(title)), columns_(std::move(columns)), is_of_paths_(is_of_paths) {}

  void add(uint64_t rank, std::vector<std::string> numbers, std::string text) {
    rows_.push_back({rank, std::move(numbers), std::move(text)});
  }

  /// The `most` rows of the highest rank, then the total.
  std::string print(unsigned most, std::vector<std::string> total, std::string text) {
    if (rows_.empty()) return "";
    std::ranges::stable_sort(rows_, std::greater(), &Row::rank);
    size_t left = rows_.size() - std::min<size_t>(rows_.size(), most);
    rows_.resize(rows_.size() - left);
    if (left != 0) text += fmt::format(" ({} not shown)", grouped(left));
    add(0, std::move(total), std::move(text));
    rows_.insert(rows_.begin(), {0, columns_, ""});
    std::vector<size_t> widths(columns_.size());
    for (const Row& row : rows_)
      for (size_t i = 0; i < widths.size(); ++i)
        widths[i] = std::max(widths[i], row.numbers[i].size());
    std::string lines = fmt::format("\n{}\n", title_);
    for (const Row& row : rows_) lines += print_row(widths, row);
    return lines;
  }

 private:
  struct Row {
    uint64_t rank = 0;
    std::vector<std::string> numbers;
    std::string text;
  };

  std::string print_row(std::span<const size_t> widths, const Row& row) const {
    std::string line;
    for (size_t i = 0; i < widths.size(); ++i)
      line += fmt::format("  {:>{}}", row.numbers[i], widths[i]);
    if (row.text.empty()) return line + '\n';
    size_t room = line_width - std::min(line_width - 12, line.size() + 2);
    return fmt::format("{}  {}\n", line, elide(row.text, room, is_of_paths_));
  }

  std::string title_;
  std::vector<std::string> columns_;
  bool is_of_paths_;
  std::vector<Row> rows_;
};

std::string list_programs(const OutputModel& model, unsigned most) {
  SizeTable table("Programs",
                  {"instructions", "with calls", fmt::format("stack of {}", stack_limit)});
  uint64_t all = 0;
  for (const ProgramCost& program : model.programs) {
    all += program.instructions;
    table.add(program.all_instructions,
              {grouped(program.instructions), grouped(program.all_instructions),
               program.deepest_stack ? grouped(*program.deepest_stack) : "unknown"},
              program.name);
  }
  return table.print(most, {grouped(all), "", ""}, "in all programs");
}

std::string list_maps(const OutputModel& model, unsigned most) {
  SizeTable table("Maps", {"bytes of memory", "entries"});
  uint64_t all = 0, unused = 0;
  for (const MapCost& map : model.maps) {
    all += map.bytes;
    table.add(map.bytes, {grouped(map.bytes), grouped(map.entries)},
              fmt::format("{}, {}{}{}", map.name, map.type, map.per_cpu ? ", for each CPU" : "",
                          map.programs.empty() ? ", of no program" : ""));
    if (map.programs.empty()) unused += map.bytes;
  }
  std::string total = "in all maps, at most";
  if (unused != 0) total = fmt::format("in all maps, at most; {} of no program", grouped(unused));
  return table.print(most, {grouped(all), ""}, std::move(total));
}

std::string list_types(const OutputModel& model, unsigned most) {
  SizeTable table("Types", {"bytes", "all it brings"});
  for (const Node& node : std::span(model.nodes).subspan(1)) {
    bool is_type = category_of(node.kind) == "types" && node.kind != "function type" &&
                   node.kind != "variable type" && node.kind != "section";
    if (!is_type) continue;
    std::string name = describe(node);
    if (node.needed_by != 0) name += ", by " + describe(model.nodes[node.needed_by]);
    table.add(node.brings, {grouped(node.bytes), grouped(node.brings)}, name);
  }
  auto types = std::ranges::find(model.categories, "types", &NamedSize::name);
  uint64_t all = types == model.categories.end() ? 0 : types->bytes;
  return table.print(most, {grouped(all), ""}, "in all types");
}

std::string list_lines(const OutputModel& model, unsigned most) {
  SizeTable table("Source lines", {"bytes", "instructions"}, true);
  uint64_t bytes = 0, instructions = 0;
  for (const LineCost& line : model.lines) {
    bytes += line.bytes;
    instructions += line.instructions;
    table.add(line.bytes, {grouped(line.bytes), grouped(line.instructions)},
              fmt::format("{}:{}", line.file, line.line));
  }
  return table.print(most, {grouped(bytes), grouped(instructions)}, "in all lines");
}

std::string list_files(const OutputModel& model, unsigned most) {
  SizeTable table("Files", {"bytes"}, true);
  uint64_t made = model.bytes;
  for (const NamedSize& input : model.inputs) {
    made -= input.bytes;
    table.add(input.bytes, {grouped(input.bytes)}, input.name);
  }
  return table.print(most, {grouped(model.bytes)},
                     fmt::format("in all, {} of them made by the linker", grouped(made)));
}

std::string percent(uint64_t part, uint64_t whole) {
  if (part == 0 || part >= whole) return part == 0 ? "0 %" : "100 %";
  uint64_t share = (200 * part / whole + 1) / 2;
  return share == 0 ? "< 1 %" : fmt::format("{} %", std::min<uint64_t>(share, 99));
}

std::string list_savings(const OutputModel& model) {
  std::string text;
  for (const Saving& saving : model.savings)
    text += fmt::format("  about {} {} ({}) with {}, which takes out\n      {}\n",
                        grouped(saving.bytes), agree(saving.bytes, "byte", "bytes"),
                        percent(saving.bytes, model.bytes), saving.option, saving.what);
  if (model.savings.size() > 1) text += "  --shrink does all of that\n";
  return text.empty() ? "" : "\nWhat can be saved\n" + text;
}

}  // namespace

std::string grouped(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string make_sizes_text(const OutputModel& model, unsigned most) {
  std::string text = fmt::format("{}: {} bytes", printable(model.file), grouped(model.bytes));
  size_t column = line_width;
  for (const NamedSize& category : model.categories) {
    if (200 * category.bytes < model.bytes) continue;
    std::string share = fmt::format("{} {}", category.name, percent(category.bytes, model.bytes));
    bool fits = column + 2 + share.size() < line_width;
    text += (fits ? ", " : column == line_width ? ":\n  " : ",\n  ") + share;
    column = (fits ? column + 2 : 2) + share.size();
  }
  return text + '\n' + list_programs(model, most) + list_maps(model, most) +
         list_types(model, most) + list_lines(model, most) + list_files(model, most) +
         list_savings(model);
}

}  // namespace bpflink
