#include "linker/report/link_map.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "linker/diagnostics/printable.hpp"
#include "linker/elf/symbols_by_place.hpp"
#include "linker/report/dropped.hpp"

namespace bpflink {
namespace {

void add_line(std::string& text, uint64_t offset, uint64_t size, std::string_view rest) {
  fmt::format_to(std::back_inserter(text), "  {:>#10x} {:>#10x}{}{}\n", offset, size,
                 rest.empty() ? "" : "  ", printable(rest));
}

void add_section(std::string& text, const OutputSection& output,
                 std::unordered_map<const ObjectFile*, SymbolsByPlace>& names) {
  fmt::format_to(std::back_inserter(text), "{}\n", printable(output.name));
  add_line(text, 0, output.size, "");
  struct Row {
    uint64_t offset, size;
    std::string text;
  };
  std::vector<Row> rows;
  for (const InputSection* section : output.members) {
    const SymbolsByPlace& by_place = names.try_emplace(section->file, *section->file).first->second;
    for (const Fragment& fragment : section->fragments) {
      if (!fragment.live) continue;
      uint64_t size = fragment.end - fragment.begin;
      std::string_view note = fragment.is_duplicate ? "  (same as an earlier one)" : "";
      rows.push_back({fragment.output_offset, size,
                      section->file->describe_place(*section, fragment.begin) + std::string(note)});
      by_place.for_each_in(*section, fragment.begin, fragment.end, [&](const InputSymbol& symbol) {
        rows.push_back({fragment.output_offset + (symbol.value - fragment.begin), symbol.size,
                        fmt::format("    {}", symbol.name)});
      });
    }
  }
  std::ranges::stable_sort(rows, {}, &Row::offset);
  for (const Row& row : rows) add_line(text, row.offset, row.size, row.text);
}

void add_dropped(std::string& text, const Context& context) {
  text += "\nDropped\n";
  for (const Dropped& dropped : find_dropped(context))
    fmt::format_to(std::back_inserter(text), "  {:>#10x}  {}: {}\n", dropped.bytes,
                   printable(dropped.describe()), printable(dropped.reason));
}

/// What the inputs had of each output section, and how much of that is left.
void add_totals(std::string& text, const Context& context) {
  std::unordered_map<std::string_view, uint64_t> input_bytes;
  for (auto& object : context.objects)
    for (const InputSection& section : object->linked_sections())
      input_bytes[section.name] += section.size;
  uint64_t all_in = 0, all_out = 0;
  auto add = [&](uint64_t in, uint64_t out, std::string_view name) {
    uint64_t percent = in == 0 ? 100 : (100 * out + in / 2) / in;
    fmt::format_to(std::back_inserter(text), "  {:>#10x} {:>#10x} {:>3} %  {}\n", in, out, percent,
                   printable(name));
  };
  text += "\nTotals\n          in        out\n";
  for (auto& section : context.sections) {
    uint64_t in = input_bytes[section->name];
    add(in, section->size, section->name);
    input_bytes.erase(section->name);
    all_in += in;
    all_out += section->size;
  }
  for (auto& object : context.objects)
    for (const InputSection& section : object->linked_sections()) {
      auto left = input_bytes.find(section.name);
      if (left == input_bytes.end()) continue;
      add(left->second, 0, section.name);
      all_in += left->second;
      input_bytes.erase(left);
    }
  add(all_in, all_out, "all");
}

}  // namespace

std::string make_map(const Context& context) {
  std::string text = "Output section\n      offset       size  where from\n\n";
  std::unordered_map<const ObjectFile*, SymbolsByPlace> names;
  for (auto& section : context.sections) add_section(text, *section, names);
  add_dropped(text, context);
  add_totals(text, context);
  return text;
}

std::string make_cross_references(const Context& context) {
  struct User {
    const ObjectFile* object;
    bool defines;
  };
  std::unordered_map<const Symbol*, std::vector<User>> users;
  for (auto& object : context.objects)
    for (const InputSymbol& symbol : object->symbols)
      if (symbol.global && symbol.global->file != object.get())
        users[symbol.global].push_back({object.get(), symbol.is_defined()});
  std::string text = "Cross references: symbol, where it is defined, who else has it\n\n";
  auto add = [&](std::string_view symbol, std::string_view file, std::string_view note) {
    fmt::format_to(std::back_inserter(text), "{:<40} {}{}\n", printable(symbol), printable(file),
                   note);
  };
  for (const Symbol* symbol : context.symbols.all()) {
    std::string_view file = symbol->file->name;
    if (symbol->is_defined) {
      add(symbol->name, file, symbol->in_output ? " (defined)" : " (dropped)");
    } else {
      add(symbol->name, "", "(undefined)");
      add("", file, "");
    }
    for (const User& user : users[symbol])
      add("", user.object->name, user.defines ? " (gave way)" : "");
  }
  return text;
}

}  // namespace bpflink
