#include "linker/report/sizes_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "linker/diagnostics/printable.hpp"
#include "linker/report/type_story.hpp"

namespace bpflink {
namespace {

constexpr size_t line_width = 80;
constexpr uint64_t stack_limit = 512;  // of a program with all that it calls

bool begins_letter(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
}

/// The end of a path says more than its beginning.
std::string elide(std::string_view text, size_t width, bool keeps_end) {
  std::string line = printable(text);
  auto letters = static_cast<size_t>(std::ranges::count_if(line, begins_letter));
  if (letters <= width) return line;
  size_t cut = keeps_end ? letters - width + 3 : width - 3, at = 0;
  for (; at < line.size(); ++at)
    if (begins_letter(line[at]) && cut-- == 0) break;
  return keeps_end ? "..." + line.substr(at) : line.substr(0, at) + "...";
}

/// Columns of numbers and, behind them, what they are about.
class SizeTable {
 public:
  SizeTable(std::string title, std::vector<std::string> columns, bool is_of_paths = false)
      : title_(std::move(title)), columns_(std::move(columns)), is_of_paths_(is_of_paths) {}

  void add(std::vector<std::string> numbers, std::string text) {
    rows_.push_back({std::move(numbers), std::move(text)});
  }

  /// The first `most` rows, and the last, which is the total.
  std::string print(unsigned most) const {
    if (rows_.size() < 2) return "";
    std::vector<Row> shown(rows_.begin(), rows_.end() - 1);
    size_t left = shown.size() - std::min<size_t>(shown.size(), most);
    shown.resize(shown.size() - left);
    shown.push_back(rows_.back());
    if (left != 0) shown.back().text += fmt::format(" ({} not shown)", grouped(left));
    std::vector<size_t> widths;
    for (size_t i = 0; i < columns_.size(); ++i) {
      widths.push_back(columns_[i].size());
      for (const Row& row : shown) widths[i] = std::max(widths[i], row.numbers[i].size());
    }
    std::string text = fmt::format("\n{}\n", title_) + print_row(widths, {columns_, ""});
    for (const Row& row : shown) text += print_row(widths, row);
    return text;
  }

 private:
  struct Row {
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

/// Pointers to the elements, those with the most first.
template <typename Element, typename Value>
std::vector<const Element*> by_value(const std::vector<Element>& elements, Value value) {
  std::vector<const Element*> sorted;
  sorted.reserve(elements.size());
  for (const Element& element : elements) sorted.push_back(&element);
  std::ranges::stable_sort(sorted, std::greater(),
                           [&](const Element* element) { return element->*value; });
  return sorted;
}

std::string list_programs(const OutputModel& model, unsigned most) {
  SizeTable table("Programs",
                  {"instructions", "with calls", fmt::format("stack of {}", stack_limit)});
  uint64_t all = 0;
  for (const ProgramCost* program : by_value(model.programs, &ProgramCost::all_instructions)) {
    all += program->instructions;
    table.add({grouped(program->instructions), grouped(program->all_instructions),
               program->deepest_stack ? grouped(*program->deepest_stack) : "unknown"},
              program->name);
  }
  table.add({grouped(all), "", ""}, "in all programs");
  return table.print(most);
}

std::string list_maps(const OutputModel& model, unsigned most) {
  SizeTable table("Maps", {"bytes of memory", "entries"});
  uint64_t all = 0;
  for (const MapCost* map : by_value(model.maps, &MapCost::bytes)) {
    all += map->bytes;
    table.add({grouped(map->bytes), grouped(map->entries)},
              fmt::format("{}, {}{}", map->name, map->type, map->per_cpu ? ", for each CPU" : ""));
  }
  table.add({grouped(all), ""}, "in all maps, at most");
  return table.print(most);
}

std::string list_types(const OutputModel& model, unsigned most) {
  SizeTable table("Types", {"bytes", "all it brings"});
  for (const Node* node : by_value(model.nodes, &Node::brings)) {
    bool is_type = category_of(node->kind) == "types" && node->kind != "function type" &&
                   node->kind != "variable type" && node->kind != "section";
    if (node == &model.nodes.front() || !is_type) continue;
    std::string name = describe(*node);
    if (node->needed_by != 0) name += ", by " + describe(model.nodes[node->needed_by]);
    table.add({grouped(node->bytes), grouped(node->brings)}, name);
  }
  uint64_t all = 0;
  for (const NamedSize& category : model.categories)
    if (category.name == "types") all = category.bytes;
  table.add({grouped(all), ""}, "in all types");
  return table.print(most);
}

std::string list_lines(const OutputModel& model, unsigned most) {
  SizeTable table("Source lines", {"bytes", "instructions"}, true);
  uint64_t bytes = 0, instructions = 0;
  for (const LineCost& line : model.lines) {
    bytes += line.bytes;
    instructions += line.instructions;
    table.add({grouped(line.bytes), grouped(line.instructions)},
              fmt::format("{}:{}", line.file, line.line));
  }
  table.add({grouped(bytes), grouped(instructions)}, "in all lines");
  return table.print(most);
}

std::string list_files(const OutputModel& model, unsigned most) {
  SizeTable table("Files", {"bytes"}, true);
  uint64_t made = model.bytes;
  for (const NamedSize* input : by_value(model.inputs, &NamedSize::bytes)) {
    made -= input->bytes;
    table.add({grouped(input->bytes)}, input->name);
  }
  table.add({grouped(model.bytes)},
            fmt::format("in all, of which {} are from no input", grouped(made)));
  return table.print(most);
}

std::string list_changes(const OutputModel& model, unsigned most) {
  if (!model.against) return "";
  if (model.against->changes.empty()) return "\nNothing has another size.\n";
  SizeTable table("Changes", {"before", "now"});
  for (const SizeChange& change : model.against->changes)
    table.add({grouped(change.before), grouped(change.after)},
              fmt::format("{}, {} in {}", change.name, change.kind, change.section));
  table.add({grouped(model.against->bytes), grouped(model.bytes)}, "in all");
  return table.print(most);
}

std::string percent(uint64_t part, uint64_t whole) {
  return fmt::format("{} %", whole == 0 ? 0 : (200 * part / whole + 1) / 2);
}

std::string list_savings(const OutputModel& model) {
  std::string text;
  for (const Saving& saving : model.savings)
    text +=
        fmt::format("  {} bytes ({}) with {}, which takes out\n      {}\n", grouped(saving.bytes),
                    percent(saving.bytes, model.bytes), saving.option, saving.what);
  return text.empty() ? "" : "\nWhat can be saved\n" + text;
}

}  // namespace

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
         list_savings(model) + list_changes(model, most);
}

}  // namespace bpflink
