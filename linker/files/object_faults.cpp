#include "linker/files/object_faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "linker/files/object_file.hpp"

namespace bpflink {
namespace {

class Verifier {
 public:
  Verifier(const ObjectFile& object, std::vector<std::string>& faults)
      : object_(object), faults_(faults) {}

  void run() {
    check_symbols();
    check_section_names();
    check_relocation_sections();
    if (!object_.btf) return;
    index();
    check_variables();
    if (!object_.btf_ext) return;
    for (const BtfExtTableKind& kind : btf_ext_table_kinds) check_table(kind);
    check_local_type_ids(*object_.btf_ext);
  }

 private:
  template <typename... Args>
  void fault(fmt::format_string<Args...> format, Args&&... args) {
    faults_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  // ---- symbols, sections and relocations

  void check_symbols() {
    uint32_t first_global = 1;
    while (first_global < object_.symbols.size() && object_.symbols[first_global].is_local())
      ++first_global;
    std::unordered_set<std::string_view> names;
    for (uint32_t i = first_global; i < object_.symbols.size(); ++i) {
      const InputSymbol& symbol = object_.symbols[i];
      if (symbol.is_local())
        fault("local symbol '{}' follows a global one", symbol.name);
      else if (!names.insert(symbol.name).second)
        fault("symbol '{}' occurs twice", symbol.name);
    }
    for (const InputSection& section : object_.sections)
      if (section.type == SHT_SYMTAB && section.info != first_global)
        fault("the symbol table's sh_info is {}, but the first global symbol is {}", section.info,
              first_global);
  }

  void check_section_names() {
    std::unordered_set<std::string_view> names;
    for (const InputSection& section : object_.linked_sections())
      if (!names.insert(section.name).second) fault("section '{}' occurs twice", section.name);
  }

  void check_relocation_sections() {
    std::unordered_set<uint32_t> targets;
    for (const InputSection& section : object_.sections) {
      if (section.type != SHT_REL) continue;
      if (section.link >= object_.sections.size() ||
          object_.sections[section.link].type != SHT_SYMTAB)
        fault("relocation section '{}' does not name the symbol table", section.name);
      if (!targets.insert(section.info).second)
        fault("section {} has two relocation sections", section.info);
    }
  }

  // ---- variables

  void index() {
    for (const InputSection& section : object_.linked_sections())
      sections_.emplace(section.name, &section);
    for (const InputSymbol& symbol : object_.symbols)
      if (!symbol.is_local()) globals_.emplace(symbol.name, &symbol);
  }

  const InputSymbol* find_global(std::string_view name) const {
    auto found = globals_.find(name);
    return found == globals_.end() ? nullptr : found->second;
  }

  void check_variables() {
    const Btf& btf = *object_.btf;
    std::unordered_set<std::string_view> names;
    std::vector<bool> is_listed(btf.end_id());
    for (uint32_t id = 1; id < btf.end_id(); ++id) {
      BtfType datasec = btf.type(id);
      if (datasec.kind() != BtfKind::Datasec) continue;
      if (!names.insert(btf.name(datasec)).second)
        fault("DATASEC '{}' occurs twice", btf.name(datasec));
      check_datasec(datasec);
      for (uint32_t i = 0; i < datasec.vlen(); ++i) {
        uint32_t variable = datasec.var_secinfo(i).type;
        if (is_listed[variable]) fault("{} is listed twice", describe(variable));
        is_listed[variable] = true;
      }
    }
    for (uint32_t id = 1; id < btf.end_id(); ++id)
      if (btf.type(id).kind() == BtfKind::Var && !is_listed[id] &&
          btf.type(id).var_linkage() != BtfLinkage::Extern)
        fault("{} is in no DATASEC", describe(id));
  }

  void check_datasec(BtfType datasec) {
    std::string_view name = object_.btf->name(datasec);
    auto found = sections_.find(name);
    const InputSection* section = found == sections_.end() ? nullptr : found->second;
    if (section && datasec.size() != section->size)
      fault("DATASEC '{}' has {:#x} bytes, but its section {:#x}", name, datasec.size(),
            section->size);
    uint64_t end = 0;
    for (uint32_t i = 0; i < datasec.vlen(); ++i) {
      BtfVarSecinfo entry = datasec.var_secinfo(i);
      BtfType variable = object_.btf->type(entry.type);
      if (variable.kind() == BtfKind::Func || variable.var_linkage() == BtfLinkage::Extern)
        continue;
      if (!section) {
        fault("{} is in DATASEC '{}', which has no section", describe(entry.type), name);
        continue;
      }
      if (entry.offset < end)
        fault("{} at {}+{:#x} overlaps the variable before it, which ends at {:#x}",
              describe(entry.type), name, entry.offset, end);
      end = uint64_t{entry.offset} + entry.size;
      if (end > section->size)
        fault("{} at {}+{:#x} with {:#x} bytes extends beyond the section", describe(entry.type),
              name, entry.offset, entry.size);
      if (variable.var_linkage() == BtfLinkage::Global) check_symbol(entry, *section);
    }
  }

  void check_symbol(const BtfVarSecinfo& entry, const InputSection& section) {
    const InputSymbol* symbol = find_global(object_.btf->name(object_.btf->type(entry.type)));
    bool agrees = symbol && symbol->is_in_section() && symbol->section == section.index &&
                  symbol->value == entry.offset &&
                  (symbol->size == entry.size || symbol->size == 0);
    if (!agrees)
      fault("{} at {}+{:#x} with {:#x} bytes has no such symbol", describe(entry.type),
            section.name, entry.offset, entry.size);
  }

  // ---- .BTF.ext

  void check_table(const BtfExtTableKind& kind) {
    const BtfExtTable& table = (*object_.btf_ext).*kind.table;
    std::unordered_set<uint32_t> sections;
    for (const BtfExtSection& part : table.sections)
      if (!sections.insert(part.section).second)
        fault("{} has two blocks for section '{}'", kind.name, object_.sections[part.section].name);
    int64_t last = -1;
    uint32_t last_section = 0;
    table.for_each_record([&](uint32_t section, std::span<const std::byte> record) {
      if (section != last_section) last = -1;
      last_section = section;
      int64_t offset = object_.btf_ext->load_func_info(record.data()).insn_off;
      if (offset < last || (offset == last && !kind.may_repeat))
        fault("{} has {}+{:#x} behind {:#x}", kind.name, object_.sections[section].name, offset,
              last);
      last = offset;
    });
  }

  void check_local_type_ids(const BtfExt& ext) {
    for (const BtfExtSection& part : ext.core_relo.sections)
      ext.for_each_local_type_id(part, [&](const CoreRelo& relo) {
        const InputSection& section = object_.sections[part.section];
        Insn insn = load_insn(section.data.data() + relo.insn_off, object_.byte_order);
        if (insn.has_type_id_immediate() && static_cast<uint32_t>(insn.imm) != relo.type_id)
          fault("instruction at {}+{:#x} has type id {}, but its core_relo record {}", section.name,
                relo.insn_off, insn.imm, relo.type_id);
      });
  }

  std::string describe(uint32_t id) const {
    BtfType type = object_.btf->type(id);
    return fmt::format("{} '{}'", btf_kind_name(type.kind()), object_.btf->name(type));
  }

  const ObjectFile& object_;
  std::vector<std::string>& faults_;
  std::unordered_map<std::string_view, const InputSection*> sections_;  ///< linked ones
  std::unordered_map<std::string_view, const InputSymbol*> globals_;
};

}  // namespace

std::vector<std::string> find_faults(const ObjectFile& object) {
  std::vector<std::string> faults;
  Verifier(object, faults).run();
  return faults;
}

}  // namespace bpflink
