// What went where, what was dropped and why, who refers to what: --Map and --cref.
#include <fmt/format.h>

#include <algorithm>

#include "dedup/messages.hpp"
#include "linker/files/symbols_by_place.hpp"
#include "linker/report/reports.hpp"
#include "linker/state/context.hpp"

namespace bpflink {
namespace {

void add_dropped_sections(const ObjectFile& object, std::vector<DroppedPart>& list) {
  uint64_t dwarf = 0;
  for (const InputSection& section : object.sections) {
    bool is_dropped = section.use == SectionUse::Drop;
    if (is_dropped && section.name.starts_with(".debug_"))
      dwarf += section.size;
    else if (is_dropped)
      list.push_back(dropped_part(object, section.name, 0, "", section.size,
                                  section.size == 0 ? "empty" : "of no use in a linked object"));
    if (section.same_as)
      list.push_back(dropped_part(object, section.name, 0, "", section.size,
                                  fmt::format("same as in {}", section.same_as->file->name)));
  }
  if (dwarf != 0) list.push_back(dropped_part(object, "", 0, "", dwarf, "DWARF"));
}

void add_losers(const ObjectFile& object, std::vector<DroppedPart>& list) {
  for (uint32_t i = 1; i < object.symbols.size(); ++i) {
    const InputSymbol& symbol = object.symbols[i];
    if (!lost_resolution(object, i) || !symbol.is_in_section()) continue;
    const InputSection& section = object.sections[symbol.section];
    if (section.same_as) continue;
    bool stays = place_of(section, symbol.value).has_value();
    list.push_back(
        dropped_part(object, section.name, symbol.value, symbol.name, stays ? 0 : symbol.size,
                     fmt::format("overridden by that of {}{}", symbol.global->file->name,
                                 stays ? "; its bytes stay, as the section cannot be split" : "")));
  }
}

void add_line(std::string& text, uint64_t offset, uint64_t size, std::string_view rest) {
  fmt::format_to(std::back_inserter(text), "  {:>#10x} {:>#10x}{}{}\n", offset, size,
                 rest.empty() ? "" : "  ", printable(rest));
}

void add_section(std::string& text, const OutputSection& output) {
  fmt::format_to(std::back_inserter(text), "{}\n", printable(output.name));
  add_line(text, 0, output.size, "");
  struct Row {
    uint64_t offset, size;
    std::string text;
  };
  std::vector<Row> rows;
  for (const InputSection* section : output.members) {
    const SymbolsByPlace& by_place = section->file->by_place();
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
  for (const DroppedPart& dropped : find_dropped(context))
    fmt::format_to(std::back_inserter(text), "  {:>#10x}  {}: {}\n", dropped.bytes,
                   printable(dropped.place), printable(dropped.reason));
}

/// The bytes of each section in the inputs and in the output, whose sections come first.
void add_totals(std::string& text, const Context& context) {
  struct Total {
    std::string_view name;
    uint64_t in = 0, out = 0;
  };
  std::vector<Total> totals;
  std::unordered_map<std::string_view, size_t> index;
  auto total_of = [&](std::string_view name) -> Total& {
    auto [found, is_new] = index.try_emplace(name, totals.size());
    if (is_new) totals.push_back({name});
    return totals[found->second];
  };
  for (const auto& section : context.sections) total_of(section->name).out += section->size;
  for (const auto& object : context.objects)
    for (const InputSection& section : object->linked_sections())
      total_of(section.name).in += section.size;
  Total all{"all"};
  for (const Total& total : totals) all = {"all", all.in + total.in, all.out + total.out};
  totals.push_back(all);
  text += "\nTotals\n          in        out\n";
  for (const auto& [name, in, out] : totals)
    fmt::format_to(std::back_inserter(text), "  {:>#10x} {:>#10x} {:>3} %  {}\n", in, out,
                   in == 0 ? 100 : (100 * out + in / 2) / in, printable(name));
}

}  // namespace

DroppedPart dropped_part(const ObjectFile& object, std::string_view section, uint64_t offset,
                         std::string_view name, uint64_t bytes, std::string reason) {
  std::string place = section.empty() ? object.name : object.describe_place(section, offset);
  if (!name.empty()) place.append(" ").append(name);
  return {object.name, std::string(section), std::string(name), std::move(reason), bytes, place};
}

std::vector<DroppedPart> find_dropped(const Context& context) {
  std::vector<DroppedPart> list;
  for (const auto& object : context.objects) {
    add_dropped_sections(*object, list);
    add_losers(*object, list);
  }
  std::ranges::copy(context.dropped, std::back_inserter(list));
  std::ranges::copy(context.optimized_away, std::back_inserter(list));
  return list;
}

std::vector<DroppedPart> find_merged_strings(const Context& context) {
  std::vector<DroppedPart> list;
  for (const auto& object : context.objects)
    for (const InputSection& section : object->sections) {
      uint64_t bytes = 0;
      for (const Fragment& fragment : section.fragments)
        if (fragment.live && fragment.is_duplicate) bytes += fragment.end - fragment.begin;
      if (bytes != 0)
        list.push_back(
            dropped_part(*object, section.name, 0, "", bytes, "same strings as earlier ones"));
    }
  return list;
}

std::string make_map(const Context& context) {
  std::string text = "Output section\n      offset       size  where from\n\n";
  for (auto& section : context.sections) add_section(text, *section);
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
      add("", user.object->name, user.defines ? " (overridden)" : "");
  }
  return text;
}

}  // namespace bpflink
