#include "linker/report/link_map.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "linker/elf/references.hpp"

namespace bpflink {
namespace {

/// The symbols of an object by section and offset, to name fragments by.
class NamesByPlace {
 public:
  explicit NamesByPlace(const ObjectFile& object) {
    for (const InputSymbol& symbol : object.symbols)
      if (symbol.place == InputSymbol::Place::Section &&
          (symbol.type == STT_FUNC || symbol.type == STT_OBJECT))
        entries_.push_back(&symbol);
    std::ranges::stable_sort(entries_, {}, key);
  }

  template <typename Visit>
  void for_each_in(const InputSection& section, uint64_t begin, uint64_t end, Visit visit) const {
    auto first = std::ranges::lower_bound(entries_, std::pair{section.index, begin}, {}, key);
    for (auto entry = first; entry != entries_.end() && key(*entry) < std::pair{section.index, end};
         ++entry)
      visit(**entry);
  }

 private:
  static std::pair<uint32_t, uint64_t> key(const InputSymbol* symbol) {
    return {symbol->section, symbol->value};
  }
  std::vector<const InputSymbol*> entries_;
};

void add_line(std::string& text, uint64_t offset, uint64_t size, std::string_view rest) {
  fmt::format_to(std::back_inserter(text), "  {:>#10x} {:>#10x}{}{}\n", offset, size,
                 rest.empty() ? "" : "  ", rest);
}

void add_section(std::string& text, const OutputSection& output,
                 std::unordered_map<const ObjectFile*, NamesByPlace>& names) {
  fmt::format_to(std::back_inserter(text), "{}\n", output.name);
  add_line(text, 0, output.size, "");
  struct Row {
    uint64_t offset, size;
    std::string text;
  };
  std::vector<Row> rows;
  for (const InputSection* section : output.members) {
    const NamesByPlace& by_place = names.try_emplace(section->file, *section->file).first->second;
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

bool is_dropped_dwarf(const InputSection& section) {
  return section.use == SectionUse::Drop && section.name.starts_with(".debug_");
}

std::string_view reason_of(const InputSection& section) {
  if (section.size == 0) return "empty";
  return "of no use in a linked object";
}

void add_dropped(std::string& text, const Context& context) {
  text += "\nDropped\n";
  auto add = [&](uint64_t size, std::string_view what, std::string_view why) {
    fmt::format_to(std::back_inserter(text), "  {:>#10x}  {}: {}\n", size, what, why);
  };
  for (auto& object : context.objects) {
    uint64_t dwarf = 0;
    for (const InputSection& section : object->sections) {
      std::string place = object->describe_place(section, 0);
      if (is_dropped_dwarf(section))
        dwarf += section.size;
      else if (section.use == SectionUse::Drop)
        add(section.size, place, reason_of(section));
      if (section.same_as)
        add(section.size, place, fmt::format("same as in {}", section.same_as->file->name));
    }
    if (dwarf != 0) add(dwarf, object->name, "DWARF");
    for (uint32_t i = 1; i < object->symbols.size(); ++i) {
      const InputSymbol& symbol = object->symbols[i];
      if (!lost_resolution(*object, i) || symbol.place != InputSymbol::Place::Section) continue;
      const InputSection& section = object->sections[symbol.section];
      if (section.same_as) continue;
      bool stays = place_of(section, symbol.value).has_value();
      add(stays ? 0 : symbol.size,
          fmt::format("{} {}", object->describe_place(section, symbol.value), symbol.name),
          fmt::format("gave way to that of {}{}", symbol.global->file->name,
                      stays ? "; its bytes stay, as the section cannot be split" : ""));
    }
  }
  for (const DroppedDefinition& dropped : context.dropped)
    add(dropped.size, dropped.describe(), "not reached from any root");
}

/// What the inputs had of each output section, and how much of that is left.
void add_totals(std::string& text, const Context& context) {
  std::unordered_map<std::string_view, uint64_t> input_bytes;
  for (auto& object : context.objects)
    for (const InputSection& section : object->sections)
      if (section.use == SectionUse::Link) input_bytes[section.name] += section.size;
  uint64_t all_in = 0, all_out = 0;
  auto add = [&](uint64_t in, uint64_t out, std::string_view name) {
    uint64_t percent = in == 0 ? 100 : (100 * out + in / 2) / in;
    fmt::format_to(std::back_inserter(text), "  {:>#10x} {:>#10x} {:>3} %  {}\n", in, out, percent,
                   name);
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
    for (const InputSection& section : object->sections) {
      auto left = input_bytes.find(section.name);
      if (section.use != SectionUse::Link || left == input_bytes.end()) continue;
      add(left->second, 0, section.name);
      all_in += left->second;
      input_bytes.erase(left);
    }
  add(all_in, all_out, "all");
}

}  // namespace

std::string make_map(const Context& context) {
  std::string text = "Output section\n      offset       size  where from\n\n";
  std::unordered_map<const ObjectFile*, NamesByPlace> names;
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
  for (const Symbol* symbol : context.symbols.all()) {
    fmt::format_to(std::back_inserter(text), "{:<40} {}\n", symbol->name,
                   !symbol->is_defined ? "(undefined)"
                                       : fmt::format("{} ({})", symbol->file->name,
                                                     symbol->in_output ? "defined" : "dropped"));
    if (!symbol->is_defined)
      fmt::format_to(std::back_inserter(text), "{:<40} {}\n", "", symbol->file->name);
    for (const User& user : users[symbol])
      fmt::format_to(std::back_inserter(text), "{:<40} {}{}\n", "", user.object->name,
                     user.defines ? " (gave way)" : "");
  }
  return text;
}

}  // namespace bpflink
