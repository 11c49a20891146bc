#include "linker/report/output_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "linker/elf/gc_roots.hpp"
#include "linker/report/merged_btf.hpp"
#include "linker/report/model_builder.hpp"
#include "linker/report/type_nodes.hpp"

namespace bpflink {
namespace {

class OutputNodes {
 public:
  OutputNodes(const Context& context, const ObjectFile& output, const OutputParts& parts,
              OutputModel& model)
      : context_(context), output_(output), parts_(parts), model_(model), builder_(model) {
    for (size_t i = 0; i < context.objects.size(); ++i) {
      model.inputs.push_back({context.objects[i]->name});
      inputs_[context.objects[i].get()] = static_cast<uint32_t>(i);
    }
  }

  std::vector<uint32_t> add_all() {
    add_single("(ELF header)", "header", sizeof(Elf64_Ehdr));
    uint64_t headers = output_.sections.size() * sizeof(Elf64_Shdr);
    uint64_t rest = output_.image.size() - sizeof(Elf64_Ehdr) - headers;
    // Code and types come first, so that what is about them finds them.
    std::vector<const InputSection*> sections;
    for (const InputSection& section : output_.sections)
      if (section.type != SHT_NULL) sections.push_back(&section);
    for (const InputSection* section : sections) {
      bool is_in_file = !section->is_nobits();
      section_[section->index] =
          builder_.add_section(std::string(section->name), "section",
                               is_in_file ? section->size : 0, kind_of_rest(*section));
      by_name_.try_emplace(section->name, section->index);
      rest -= is_in_file ? section->size : 0;
    }
    add_parts();
    if (output_.btf) add_types();
    if (output_.btf_ext) add_records();
    if (types_) types_->finish();
    add_relocations();
    for (const InputSection* section : sections)
      if (section->type == SHT_SYMTAB) add_symbols(*section);
    add_single("(section headers)", "header", headers);
    if (rest != 0) add_single("(padding)", "padding", rest);
    std::vector<uint32_t> numbers = builder_.finish();
    for (uint32_t& node : part_nodes_) node = numbers[node];
    return std::move(part_nodes_);
  }

 private:
  void add_single(std::string name, std::string_view kind, uint64_t bytes) {
    uint32_t section = builder_.add_section(name, kind, bytes);
    builder_.add({.name = std::move(name), .kind = kind, .section = section, .bytes = bytes});
  }

  /// What is left of a section whose contents are not looked into.
  static std::string_view kind_of_rest(const InputSection& section) {
    if (section.type == SHT_STRTAB || section.name == ".BTF.ext") return "header";
    return section.use == SectionUse::Link ? "padding" : "section contents";
  }

  uint32_t input_of(uint32_t part) const {
    return part == no_node ? no_node : builder_[part_nodes_[part]].input;
  }

  void add_parts() {
    for (const OutputPart& part : parts_.parts) {
      auto input = inputs_.find(part.file);
      bool is_in_file = !output_.sections[part.section].is_nobits();
      part_nodes_.push_back(builder_.add(
          {.name = part.name,
           .kind = part.kind,
           .section = section_[part.section],
           .input = input == inputs_.end() ? no_node : input->second,
           .bytes = is_in_file ? part.size : 0,
           .root = std::string(gc_root_reason(output_.sections[part.section], context_.options))}));
    }
    for (uint32_t from = 0; from < parts_.parts.size(); ++from)
      for (uint32_t to : parts_.uses.edges(from))
        builder_.refer(part_nodes_[from], part_nodes_[to]);
    for (const InputSymbol& symbol : output_.symbols) {
      if (symbol.place != InputSymbol::Place::Section || symbol.is_section()) continue;
      uint32_t part = parts_.find(symbol.section, symbol.value);
      if (part == no_node || parts_.parts[part].offset != symbol.value) continue;
      std::string& root = builder_[part_nodes_[part]].root;
      if (root.empty())
        root = gc_root_reason(symbol, output_.sections[symbol.section], context_.options);
    }
  }

  void add_types() {
    const InputSection* section = output_.find_section(".BTF");
    if (!section) return;
    types_.emplace(*output_.btf, section->size, section_[section->index], builder_);
    MergedBtf merged(*output_.btf, section->size, model_);
    for (uint32_t i = 0; i < context_.objects.size(); ++i) {
      const ObjectFile& object = *context_.objects[i];
      const InputSection* input = object.find_section(".BTF");
      if (object.btf && input) merged.add(i, *object.btf, input->size, object.type_map);
    }
    types_->set_origins(merged.origins());
    for (const BtfDeclaration& declaration : output_.declarations) add_declaration(declaration);
  }

  /// What is declared leads to its type: a variable by its place, a function that has no record,
  /// and an extern, by its name.
  void add_declaration(const BtfDeclaration& declaration) {
    uint32_t node = types_->node_of(declaration.type_id);
    if (auto section = by_name_.find(declaration.datasec); section != by_name_.end()) {
      uint32_t part = parts_.find(section->second, declaration.offset);
      if (part != no_node) builder_.refer(part_nodes_[part], node);
    } else {
      externs_[output_.btf->name(declaration.type())] = node;
    }
  }

  void add_records() {
    const BtfExt& ext = *output_.btf_ext;
    const InputSection* section = output_.find_section(".BTF.ext");
    if (!section || !types_) return;
    records_section_ = section_[section->index];
    ext.func_info.for_each_record([&](uint32_t code, std::span<const std::byte> record) {
      FuncInfo info = ext.load_func_info(record.data());
      uint32_t part = parts_.find(code, info.insn_off);
      uint32_t node = add_record(part, "function record", ext.func_info.record_size);
      builder_.refer(part == no_node ? node : part_nodes_[part], types_->node_of(info.type_id));
    });
    add_lines(ext);
    ext.core_relo.for_each_record([&](uint32_t code, std::span<const std::byte> record) {
      CoreRelo relo = ext.load_core_relo(record.data());
      uint32_t node = add_record(parts_.find(code, relo.insn_off), "access",
                                 ext.core_relo.record_size, line_name(code, relo.insn_off));
      builder_.refer(node, types_->node_of(relo.type_id));
      use_string(node, relo.access_str_off, "access string");
    });
  }

  uint32_t add_record(uint32_t part, std::string_view kind, uint64_t bytes, std::string name = {}) {
    if (name.empty()) name = part == no_node ? "(no symbol)" : parts_.parts[part].name;
    uint32_t node = builder_.add({.name = std::move(name),
                                  .kind = kind,
                                  .section = records_section_,
                                  .input = input_of(part),
                                  .bytes = bytes});
    if (part != no_node) builder_.refer(part_nodes_[part], node);
    return node;
  }

  void use_string(uint32_t user, uint32_t offset, std::string_view kind) {
    uint32_t node = types_->add_string(offset, kind);
    if (node == no_node) return;
    if (builder_[node].input == no_node) builder_[node].input = builder_[user].input;
    builder_.refer(user, node);
  }

  /// "trace.bpf.c:14", or "" where no line is known.
  std::string line_name(uint32_t code, uint64_t offset) const {
    auto line = output_.btf_ext->find_line(code, offset);
    if (!line) return "";
    std::string_view file = output_.btf->string(line->file_name_off);
    return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), line->line());
  }

  /// The records of a function are one node. A line costs its instructions, its records and its
  /// text.
  void add_lines(const BtfExt& ext) {
    std::map<uint32_t, uint32_t> nodes;  // by part
    std::map<std::pair<uint32_t, uint32_t>, LineCost> lines;
    ext.line_info.for_each_record([&](uint32_t code, std::span<const std::byte> record) {
      LineInfo line = ext.load_line_info(record.data());
      uint32_t part = parts_.find(code, line.insn_off);
      auto [node, is_new] = nodes.try_emplace(part, 0);
      if (is_new) node->second = add_record(part, "line records", 0);
      builder_[node->second].bytes += ext.line_info.record_size;
      auto [entry, is_first] = lines.try_emplace({line.file_name_off, line.line()});
      LineCost& cost = entry->second;
      cost.line = line.line();
      cost.bytes += ext.line_info.record_size;
      uint64_t end = part == no_node ? line.insn_off : parts_.parts[part].end();
      if (auto next = ext.find_next_line(code, line.insn_off))
        end = std::min<uint64_t>(end, next->insn_off);
      cost.instructions += (end - line.insn_off) / insn_size;
      use_string(node->second, line.file_name_off, "file name");
      use_string(node->second, line.line_off, "source line");
      if (is_first) cost.bytes += output_.btf->string(line.line_off).size() + 1;
    });
    for (auto& [place, cost] : lines) {
      cost.file = output_.btf->string(place.first);
      cost.bytes += cost.instructions * insn_size;
      model_.lines.push_back(std::move(cost));
    }
    std::ranges::stable_sort(model_.lines, std::greater(), &LineCost::bytes);
  }

  void add_relocations() {
    for (const InputSection& table : output_.sections) {
      if (table.type != SHT_REL || table.info >= output_.sections.size()) continue;
      std::map<uint32_t, uint64_t> bytes;  // by part
      for (const Relocation& relocation : output_.sections[table.info].relocations) {
        uint32_t part = parts_.find(table.info, relocation.offset);
        bytes[part] += sizeof(Elf64_Rel);
        refer_to_extern(part, output_.symbols[relocation.symbol]);
      }
      for (auto [part, size] : bytes) {
        uint32_t node =
            builder_.add({.name = part == no_node ? "(no symbol)" : parts_.parts[part].name,
                          .kind = "relocations",
                          .section = section_[table.index],
                          .input = input_of(part),
                          .bytes = size});
        if (part != no_node) builder_.refer(part_nodes_[part], node);
      }
    }
  }

  void refer_to_extern(uint32_t part, const InputSymbol& symbol) {
    if (part == no_node || symbol.is_defined()) return;
    if (auto found = externs_.find(symbol.name); found != externs_.end())
      builder_.refer(part_nodes_[part], found->second);
  }

  /// The table, and the names that it refers to.
  void add_symbols(const InputSection& table) {
    const InputSection& names = output_.sections[table.link];
    std::map<uint64_t, uint32_t> nodes = add_names(names);
    const char* text = reinterpret_cast<const char*>(names.data.data());
    for (const InputSymbol& symbol : output_.symbols) {
      bool is_in_section = symbol.place == InputSymbol::Place::Section;
      uint32_t part = is_in_section && !symbol.is_section()
                          ? parts_.find(symbol.section, symbol.value)
                          : no_node;
      std::string_view name = symbol.is_section() && is_in_section
                                  ? output_.sections[symbol.section].name
                                  : symbol.name;
      uint32_t node = builder_.add({.name = std::string(name.empty() ? "(no name)" : name),
                                    .kind = "symbol",
                                    .section = section_[table.index],
                                    .input = input_of(part),
                                    .bytes = sizeof(Elf64_Sym)});
      if (part != no_node) builder_.refer(part_nodes_[part], node);
      if (symbol.name.empty() || symbol.name.data() < text) continue;
      auto found = nodes.upper_bound(static_cast<uint64_t>(symbol.name.data() - text));
      if (found == nodes.begin()) continue;
      builder_.refer(node, std::prev(found)->second);
      if (part != no_node) builder_[std::prev(found)->second].input = input_of(part);
    }
  }

  /// By where each begins.
  std::map<uint64_t, uint32_t> add_names(const InputSection& section) {
    std::map<uint64_t, uint32_t> nodes;
    std::string_view text(reinterpret_cast<const char*>(section.data.data()), section.data.size());
    for (size_t begin = 0; begin < text.size();) {
      size_t end = std::min(text.find('\0', begin), text.size() - 1) + 1;
      std::string name(text.substr(begin, end - begin - 1));
      nodes[begin] = builder_.add({.name = name.empty() ? "(empty string)" : std::move(name),
                                   .kind = "symbol name",
                                   .section = section_[section.index],
                                   .bytes = end - begin});
      begin = end;
    }
    return nodes;
  }

  const Context& context_;
  const ObjectFile& output_;
  const OutputParts& parts_;
  OutputModel& model_;
  ModelBuilder builder_;
  std::optional<TypeNodes> types_;
  std::unordered_map<const ObjectFile*, uint32_t> inputs_;
  std::unordered_map<std::string_view, uint32_t> by_name_;  ///< the output's sections
  std::unordered_map<uint32_t, uint32_t> section_;          ///< in the model, by the output's index
  std::vector<uint32_t> part_nodes_;
  std::unordered_map<std::string_view, uint32_t> externs_;  ///< their types' nodes
  uint32_t records_section_ = 0;
};

}  // namespace

std::vector<uint32_t> add_output(const Context& context, const ObjectFile& output,
                                 const OutputParts& parts, OutputModel& model) {
  return OutputNodes(context, output, parts, model).add_all();
}

}  // namespace bpflink
