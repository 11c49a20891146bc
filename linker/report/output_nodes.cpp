// Adds the bytes of a linked object to a model.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "linker/report/model.hpp"
#include "linker/report/output_parts.hpp"
#include "linker/report/report_files.hpp"
#include "linker/report/type_nodes.hpp"
#include "linker/state/gc_roots.hpp"

namespace bpflink {
namespace {

class OutputNodes {
 public:
  OutputNodes(const Context& context, const ObjectFile& output, OutputParts& parts,
              OutputModel& model)
      : context_(context), output_(output), parts_(parts), builder_(model) {}

  void add_all() {
    for (const auto& object : context_.objects) {
      inputs_[object.get()] = static_cast<uint32_t>(builder_.model.inputs.size());
      builder_.model.inputs.push_back({object->name});
    }
    add_single("(ELF header)", "header", sizeof(Elf64_Ehdr));
    uint64_t headers = output_.sections.size() * sizeof(Elf64_Shdr);
    uint64_t rest = output_.image.size() - sizeof(Elf64_Ehdr) - headers;
    // The model's section 0 is the ELF header, which takes the place of the file's null section:
    // the others have the same index in both.
    for (const InputSection& section : std::span(output_.sections).subspan(1)) {
      uint64_t bytes = section.is_nobits() ? 0 : section.size;
      builder_.add_section(std::string(section.name), "section", bytes, kind_of_rest(section));
      by_name_.try_emplace(section.name, section.index);
      rest -= bytes;
    }
    // Each symbol has a name, and each function lines, relocations and a record.
    builder_.reserve(4 * parts_.parts.size() + 2 * output_.symbols.size() +
                     (output_.btf ? 2 * output_.btf->end_id() : 0));
    // Code and types come first: tables refer to them.
    add_parts();
    if (output_.btf) add_types();
    if (output_.btf_ext) add_records();
    if (types_) types_->finish();
    add_relocations();
    for (const InputSection& section : output_.sections)
      if (section.type == SHT_SYMTAB) add_symbols(section);
    add_single("(section headers)", "header", headers);
    if (rest != 0) add_single("(padding)", "padding", rest);
    std::vector<uint32_t> numbers = builder_.finish();
    for (OutputPart& part : parts_.parts) part.node = numbers[part.node];
  }

 private:
  void add_single(std::string_view name, std::string_view kind, uint64_t bytes) {
    uint32_t section = builder_.add_section(std::string(name), kind, bytes);
    builder_.add(section, kind, name, bytes);
  }

  /// The kind of the bytes of a section that become no nodes otherwise.
  static std::string_view kind_of_rest(const InputSection& section) {
    if (section.type == SHT_STRTAB || section.name == ".BTF.ext") return "header";
    return section.use == SectionUse::Link ? "padding" : "section contents";
  }

  uint32_t node_of(uint32_t part) const {
    return part == no_node ? no_node : parts_.parts[part].node;
  }
  std::string_view name_of(uint32_t part) const {
    return part == no_node ? "(no symbol)" : parts_.parts[part].name;
  }
  uint32_t input_of(uint32_t part) {
    return part == no_node ? no_node : builder_[node_of(part)].input;
  }

  /// Adds bytes that are there because of a part, such as its relocations.
  uint32_t add_about(uint32_t part, uint32_t section, std::string_view kind, std::string_view name,
                     uint64_t bytes) {
    uint32_t node = builder_.add(section, kind, name, bytes, input_of(part));
    builder_.refer(node_of(part), node);
    return node;
  }

  void add_parts() {
    for (OutputPart& part : parts_.parts) {
      const InputSection& section = output_.sections[part.section];
      auto input = inputs_.find(part.file);
      part.node =
          builder_.add(part.section, part.kind, part.name, section.is_nobits() ? 0 : part.size,
                       input == inputs_.end() ? no_node : input->second);
      builder_[part.node].root = gc_root_reason(section, context_.options);
    }
    for (uint32_t from = 0; from < parts_.parts.size(); ++from)
      for (uint32_t to : parts_.uses.edges(from)) builder_.refer(node_of(from), node_of(to));
    for (const InputSymbol& symbol : output_.symbols) {
      if (!symbol.is_in_section() || symbol.is_section()) continue;
      uint32_t part = parts_.find(symbol.section, symbol.value);
      if (part == no_node || parts_.parts[part].offset != symbol.value) continue;
      std::string_view& root = builder_[node_of(part)].root;
      if (root.empty())
        root =
            gc_root_reason(symbol, symbol.is_local() ? nullptr : context_.symbols.find(symbol.name),
                           output_.sections[symbol.section], context_.options);
    }
  }

  void add_types() {
    const InputSection* section = output_.find_section(".BTF");
    if (!section) return;
    types_.emplace(*output_.btf, section->size, section->index, builder_);
    for (uint32_t i = 0; i < context_.objects.size(); ++i) {
      const ObjectFile& object = *context_.objects[i];
      const InputSection* input = object.find_section(".BTF");
      if (object.btf && input)
        types_->add_input(i, *object.btf, input->size, object.type_map,
                          lists_dropped(context_.options));
    }
    for (const BtfDeclaration& declaration : output_.declarations) add_declaration(declaration);
  }

  /// A variable refers to its type. Externs, and functions without a record, are found by name.
  void add_declaration(const BtfDeclaration& declaration) {
    uint32_t node = types_->node_of(declaration.type_id);
    if (auto section = by_name_.find(declaration.datasec); section != by_name_.end()) {
      builder_.refer(node_of(parts_.find(section->second, declaration.offset)), node);
    } else {
      externs_[output_.btf->name(declaration.type())] = node;
    }
  }

  void add_records() {
    const BtfExt& ext = *output_.btf_ext;
    const InputSection* section = output_.find_section(".BTF.ext");
    if (!section || !types_) return;
    ext.func_info.for_each_record([&](uint32_t code, std::span<const std::byte> record) {
      FuncInfo info = ext.load_func_info(record.data());
      uint32_t part = parts_.find(code, info.insn_off);
      uint32_t node = add_about(part, section->index, "function record", name_of(part),
                                ext.func_info.record_size);
      builder_.refer(part == no_node ? node : node_of(part), types_->node_of(info.type_id));
    });
    add_lines(ext, section->index);
    ext.core_relo.for_each_record([&](uint32_t code, std::span<const std::byte> record) {
      CoreRelo relo = ext.load_core_relo(record.data());
      uint32_t part = parts_.find(code, relo.insn_off);
      std::string line = line_name(code, relo.insn_off);
      uint32_t node = add_about(part, section->index, "access", line.empty() ? name_of(part) : line,
                                ext.core_relo.record_size);
      builder_.refer(node, types_->node_of(relo.type_id));
      use_string(node, relo.access_str_off, "access string");
    });
  }

  void use_string(uint32_t user, uint32_t offset, std::string_view kind) {
    uint32_t node = types_->add_string(offset, kind);
    if (node == no_node) return;
    if (builder_[node].input == no_node) builder_[node].input = builder_[user].input;
    builder_.refer(user, node);
  }

  /// "trace.bpf.c:14", or "" if the line is not known.
  std::string line_name(uint32_t code, uint64_t offset) const {
    auto line = output_.btf_ext->find_line(code, offset);
    if (!line || line->line() == 0) return "";
    std::string_view file = output_.btf->string(line->file_name_off);
    return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), line->line());
  }

  /// The records of a function are one node. A line costs its instructions, its records and its
  /// text.
  void add_lines(const BtfExt& ext, uint32_t section) {
    std::map<uint32_t, uint32_t> nodes;  // by part
    std::map<std::pair<uint32_t, uint32_t>, LineCost> lines;
    ext.line_info.for_each_record([&](uint32_t code, std::span<const std::byte> record) {
      LineInfo line = ext.load_line_info(record.data());
      uint32_t part = parts_.find(code, line.insn_off);
      auto [node, is_new] = nodes.try_emplace(part, 0);
      if (is_new) node->second = add_about(part, section, "line records", name_of(part), 0);
      builder_[node->second].bytes += ext.line_info.record_size;
      use_string(node->second, line.file_name_off, "file name");
      use_string(node->second, line.line_off, "source line");
      // --strip-line-info leaves one record without a line.
      if (line.line() == 0) return;
      auto [entry, is_first] = lines.try_emplace({line.file_name_off, line.line()});
      LineCost& cost = entry->second;
      cost.line = line.line();
      cost.bytes += ext.line_info.record_size;
      uint64_t end = part == no_node ? line.insn_off : parts_.parts[part].end();
      if (auto next = ext.find_next_line(code, line.insn_off))
        end = std::min<uint64_t>(end, next->insn_off);
      cost.instructions += (end - line.insn_off) / insn_size;
      if (is_first) cost.bytes += output_.btf->string(line.line_off).size() + 1;
    });
    for (auto& [place, cost] : lines) {
      cost.file = output_.btf->string(place.first);
      cost.bytes += cost.instructions * insn_size;
      builder_.model.lines.push_back(std::move(cost));
    }
    std::ranges::stable_sort(builder_.model.lines, std::greater(), &LineCost::bytes);
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
      for (auto [part, size] : bytes)
        add_about(part, table.index, "relocations", name_of(part), size);
    }
  }

  void refer_to_extern(uint32_t part, const InputSymbol& symbol) {
    if (symbol.is_defined()) return;
    if (auto found = externs_.find(symbol.name); found != externs_.end())
      builder_.refer(node_of(part), found->second);
  }

  /// Adds the symbol table and its names.
  void add_symbols(const InputSection& table) {
    const InputSection& names = output_.sections[table.link];
    std::string_view text(reinterpret_cast<const char*>(names.data.data()), names.data.size());
    std::map<const char*, uint32_t> nodes;  // by where each name begins
    for_each_whole_string(text, [&](size_t begin, std::string_view string) {
      std::string_view name = string.substr(0, string.size() - 1);
      nodes[text.data() + begin] =
          builder_.add(names.index, "symbol name",
                       std::string(name.empty() ? "(empty string)" : name), string.size());
    });
    for (const InputSymbol& symbol : output_.symbols) {
      bool is_in_section = symbol.is_in_section();
      uint32_t part = is_in_section && !symbol.is_section()
                          ? parts_.find(symbol.section, symbol.value)
                          : no_node;
      std::string_view name = symbol.is_section() && is_in_section
                                  ? output_.sections[symbol.section].name
                                  : symbol.name;
      uint32_t node = add_about(part, table.index, "symbol",
                                std::string(name.empty() ? "(no name)" : name), sizeof(Elf64_Sym));
      auto found = nodes.upper_bound(symbol.name.data());
      if (symbol.name.empty() || found == nodes.begin()) continue;
      uint32_t name_node = std::prev(found)->second;
      builder_.refer(node, name_node);
      if (part != no_node) builder_[name_node].input = input_of(part);
    }
  }

  const Context& context_;
  const ObjectFile& output_;
  OutputParts& parts_;
  ModelBuilder builder_;
  std::optional<TypeNodes> types_;
  std::unordered_map<const ObjectFile*, uint32_t> inputs_;  ///< indices in the model
  std::unordered_map<std::string_view, uint32_t> by_name_;  ///< indices of sections
  std::unordered_map<std::string_view, uint32_t> externs_;  ///< nodes of their types
};

}  // namespace

void add_output(const Context& context, const ObjectFile& output, OutputParts& parts,
                OutputModel& model) {
  OutputNodes(context, output, parts, model).add_all();
}

}  // namespace bpflink
