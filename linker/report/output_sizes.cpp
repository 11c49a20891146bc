// Each section is measured by what it holds: code and data by the files and symbols that they are
// from, tables by what their entries are about. What remains of a section is padding, and so is
// what remains of the file, so that the sum is always the file's size.
#include "linker/report/output_sizes.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "linker/report/btf_sizes.hpp"

namespace bpflink {
namespace {

/// Groups in order of first appearance.
class Groups {
 public:
  SizeGroup& at(std::string_view name, std::string_view kind) {
    auto [entry, is_new] = index_.try_emplace(std::string(name), groups_.size());
    if (is_new) groups_.push_back({std::string(name), kind});
    return groups_[entry->second];
  }

  /// The section of these, with `size` bytes in all.
  SizeSection take(std::string_view name, uint64_t size) {
    SizeSection section{std::string(name), "section"};
    for (SizeGroup& group : groups_) section.add(std::move(group));
    if (section.bytes < size)
      section.add({"(padding)",
                   "padding",
                   {{"(padding)", "padding", size - section.bytes}},
                   size - section.bytes});
    return section;
  }

 private:
  std::vector<SizeGroup> groups_;
  std::unordered_map<std::string, size_t> index_;
};

/// Bytes by name, in order of first appearance, for entries of which many have one name.
class Sums {
 public:
  void add(std::string_view name, std::string_view kind, uint64_t bytes) {
    auto [entry, is_new] = index_.try_emplace(std::string(name), parts_.size());
    if (is_new) parts_.push_back({std::string(name), kind});
    parts_[entry->second].bytes += bytes;
  }
  void move_to(SizeGroup& group) {
    for (SizePart& part : parts_) group.add(std::move(part));
  }

 private:
  std::vector<SizePart> parts_;
  std::unordered_map<std::string, size_t> index_;
};

std::string_view file_of(const PlacedPart& part) {
  return part.section ? std::string_view(part.section->file->name) : "(the linker)";
}

class OutputMeasure {
 public:
  OutputMeasure(const Context& context, const OutputIndex& index, const ObjectFile& output)
      : index_(index), output_(output) {
    for (const auto& section : context.sections) {
      by_index_[section->index] = section.get();
      if (!section->relocations.empty())
        by_relocations_[".rel" + std::string(section->name)] = section.get();
    }
  }

  SizeSection measure(const InputSection& section) const {
    if (auto found = by_index_.find(section.index); found != by_index_.end())
      return measure_contents(*found->second);
    if (section.type == SHT_REL)
      if (auto found = by_relocations_.find(std::string(section.name));
          found != by_relocations_.end())
        return measure_relocations(section, *found->second);
    if (section.type == SHT_SYMTAB) return measure_symbols(section);
    if (section.type == SHT_STRTAB) return measure_names(section);
    if (section.name == ".BTF" && output_.btf)
      return measure_btf(*output_.btf, section.size, find_foreign_strings());
    if (section.name == ".BTF.ext" && output_.btf_ext) return measure_records(section);
    return Groups().take(section.name, section.size);
  }

 private:
  SizeSection measure_contents(const OutputSection& section) const {
    Groups groups;
    if (section.type != SHT_NOBITS)
      for (const PlacedPart& part : index_.parts_of(section))
        groups.at(file_of(part), "file").add({part.name, part.kind, part.size});
    return groups.take(section.name, section.type == SHT_NOBITS ? 0 : section.size);
  }

  SizeSection measure_relocations(const InputSection& section, const OutputSection& target) const {
    std::map<const PlacedPart*, uint64_t> bytes;
    for (const OutputRelocation& relocation : target.relocations)
      bytes[index_.find(target, relocation.offset)] += sizeof(Elf64_Rel);
    Groups groups;
    for (auto [part, size] : bytes)
      if (part) groups.at(file_of(*part), "file").add({part->name, part->kind, size});
    return groups.take(section.name, section.size);
  }

  SizeSection measure_symbols(const InputSection& section) const {
    Groups groups;
    for (const InputSymbol& symbol : output_.symbols) {
      bool is_section = symbol.is_section() && symbol.place == InputSymbol::Place::Section;
      std::string_view name = is_section ? output_.sections[symbol.section].name : symbol.name;
      std::string_view group = is_section          ? "symbols of sections"
                               : symbol.is_local() ? "local symbols"
                                                   : "global symbols";
      groups.at(group, "symbols")
          .add({std::string(name.empty() ? "(no name)" : name), "symbol", sizeof(Elf64_Sym)});
    }
    return groups.take(section.name, section.size);
  }

  SizeSection measure_names(const InputSection& section) const {
    SizeGroup names{"names", "symbols"};
    std::string_view text(reinterpret_cast<const char*>(section.data.data()), section.data.size());
    for (size_t begin = 0; begin < text.size();) {
      size_t end = std::min(text.find('\0', begin), text.size() - 1) + 1;
      std::string name(text.substr(begin, end - begin - 1));
      names.add({name.empty() ? "(empty string)" : std::move(name), "name", end - begin});
      begin = end;
    }
    SizeSection result{std::string(section.name), "section"};
    result.add(std::move(names));
    return result;
  }

  /// What .BTF.ext uses of the strings in .BTF, first come, first served.
  std::vector<ForeignString> find_foreign_strings() const {
    std::vector<ForeignString> strings;
    if (!output_.btf_ext) return strings;
    const BtfExt& ext = *output_.btf_ext;
    ext.line_info.for_each_record([&](uint32_t, std::span<const std::byte> record) {
      LineInfo line = ext.load_line_info(record.data());
      strings.push_back({line.file_name_off, "file name"});
      strings.push_back({line.line_off, "source line"});
    });
    ext.core_relo.for_each_record([&](uint32_t, std::span<const std::byte> record) {
      strings.push_back({ext.load_core_relo(record.data()).access_str_off, "CO-RE access"});
    });
    return strings;
  }

  /// Records of .BTF.ext by the function that they are about.
  SizeSection measure_records(const InputSection& section) const {
    using BytesByTable = std::map<std::string_view, uint64_t>;
    std::map<std::pair<uint32_t, const PlacedPart*>, BytesByTable> functions;  // by section
    for (const BtfExtTableKind& kind : btf_ext_table_kinds) {
      const BtfExtTable& table = (*output_.btf_ext).*kind.table;
      table.for_each_record([&](uint32_t code, std::span<const std::byte> record) {
        uint64_t offset = output_.btf_ext->load_func_info(record.data()).insn_off;
        auto found = by_index_.find(code);
        const PlacedPart* part =
            found == by_index_.end() ? nullptr : index_.find(*found->second, offset);
        functions[{code, part}][kind.name] += table.record_size;
      });
    }
    SizeSection result{std::string(section.name), "section"};
    for (const auto& [place, tables] : functions) {
      const PlacedPart* part = place.second;
      SizeGroup group{part ? part->name : "(no symbol)", "function"};
      for (auto [table, bytes] : tables) group.add({std::string(table), "records", bytes});
      result.add(std::move(group));
    }
    uint64_t rest = section.size - result.bytes;
    result.add({"(headers)", "header", {{"(headers)", "header", rest}}, rest});
    return result;
  }

  const OutputIndex& index_;
  const ObjectFile& output_;
  std::unordered_map<uint32_t, const OutputSection*> by_index_;
  std::unordered_map<std::string, const OutputSection*> by_relocations_;
};

/// Something of the file that is no section.
SizeSection make_single(std::string name, std::string_view kind, uint64_t bytes) {
  SizeSection section{name, kind};
  SizeGroup group{name, kind};
  group.add({std::move(name), kind, bytes});
  section.add(std::move(group));
  return section;
}

}  // namespace

std::vector<SizeSection> measure_output(const Context& context, const OutputIndex& index,
                                        const ObjectFile& output) {
  OutputMeasure measure(context, index, output);
  std::vector<SizeSection> sections;
  sections.push_back(make_single("(ELF header)", "header", sizeof(Elf64_Ehdr)));
  uint64_t rest = output.image.size() - sizeof(Elf64_Ehdr);
  for (const InputSection& section : output.sections) {
    if (section.type == SHT_NULL) continue;
    sections.push_back(measure.measure(section));
    rest -= sections.back().bytes;
  }
  uint64_t headers = output.sections.size() * sizeof(Elf64_Shdr);
  sections.push_back(make_single("(section headers)", "header", headers));
  if (rest != headers) sections.push_back(make_single("(padding)", "padding", rest - headers));
  return sections;
}

}  // namespace bpflink
