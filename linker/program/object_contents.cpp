// What loaders see of an object: programs, maps, variables, struct_ops, externs.
#include "linker/program/object_contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "bpflink/btf_query.hpp"
#include "dedup/for_linker.hpp"
#include "linker/files/references.hpp"
#include "linker/types/map_definition.hpp"

namespace bpflink {

ObjectIndex::ObjectIndex(const ObjectFile& object)
    : file(object), symbols_(object.sections.size()), of_symbol_(object.symbols.size()) {
  for (const InputSymbol& symbol : file.symbols)
    if (symbol.is_in_section() && !symbol.is_section() && !symbol.name.empty())
      symbols_[symbol.section].push_back(&symbol);
  for (auto& symbols : symbols_) std::ranges::stable_sort(symbols, {}, &InputSymbol::value);
  for (const BtfDeclaration& declaration : file.declarations) {
    if (declaration.symbol_index != 0)
      of_symbol_[declaration.symbol_index] = &declaration;
    else
      statics_.emplace(file.btf->name(declaration.type()), &declaration);
  }
  for (uint32_t id : file.datasecs) datasecs_.emplace(file.btf->name(file.btf->type(id)), id);
}

const BtfDeclaration* ObjectIndex::declaration_of(const InputSymbol& symbol) const {
  if (!symbol.is_local()) return of_symbol_[static_cast<size_t>(&symbol - file.symbols.data())];
  const BtfDeclaration* any = nullptr;
  auto [begin, end] = statics_.equal_range(symbol.name);
  for (auto entry = begin; entry != end; ++entry) {
    const BtfDeclaration& declaration = *entry->second;
    if (declaration.datasec != file.sections[symbol.section].name) continue;
    if (declaration.offset == symbol.value) return &declaration;
    if (!any) any = &declaration;
  }
  return any;
}

uint32_t ObjectIndex::datasec(std::string_view name) const {
  auto found = datasecs_.find(name);
  return found == datasecs_.end() ? 0 : found->second;
}

const InputSymbol* ObjectIndex::pointee(const Relocation& relocation) const {
  Target target = target_of(file, relocation);
  if (target.symbol || !target.place.section) return target.symbol;
  const auto& candidates = symbols_[target.place.section->index];
  auto value = static_cast<uint64_t>(target.place.offset);
  for (auto found = std::ranges::lower_bound(candidates, value, {}, &InputSymbol::value);
       found != candidates.end() && (*found)->value == value; ++found)
    if ((*found)->type == STT_FUNC || (*found)->type == STT_OBJECT) return *found;
  return nullptr;
}

// Maps: the attributes in their definitions in `.maps`, and the contents of their slots.

namespace {

constexpr uint64_t pointer_size = 8;

class MapReader {
 public:
  MapReader(const ObjectIndex& index, const InputSection& section)
      : index_(index), section_(section) {}

  Map read(const InputSymbol& symbol) {
    const BtfDeclaration* var = index_.declaration_of(symbol);
    Map map{.name = symbol.name,
            .offset = symbol.value,
            .var_id = var ? var->type_id : 0,
            .is_static = symbol.is_local(),
            .is_weak = symbol.binding == STB_WEAK};
    if (!var) return map;
    uint32_t definition = skip_modifiers(btf(), var->type().type());
    if (!is_struct(definition)) return map;
    read_map_definition(btf(), definition, map);
    read_slots(definition, symbol, map);
    return map;
  }

 private:
  const BtfView& btf() const { return *index_.file.btf; }

  bool is_struct(uint32_t id) const { return btf().kind(id) == BtfKind::Struct; }

  /// Reads the slots: pointers from the member `values` on.
  void read_slots(uint32_t definition, const InputSymbol& symbol, Map& map) const {
    BtfType type = btf().type(definition);
    for (uint32_t i = 0; i < type.vlen(); ++i) {
      if (btf().string(type.member(i).name_off) != "values") continue;
      uint64_t begin = symbol.value + type.member_bit_offset(i) / 8;
      uint64_t end = symbol.value + symbol.size;
      for (const Relocation& relocation : section_.relocations) {
        if (relocation.offset < begin || relocation.offset >= end) continue;
        const InputSymbol* target = index_.pointee(relocation);
        if (!target) continue;
        auto index = static_cast<uint32_t>((relocation.offset - begin) / pointer_size);
        map.slots.push_back({index, target->name});
      }
    }
  }

  const ObjectIndex& index_;
  const InputSection& section_;
};

}  // namespace

void collect_maps(const ObjectIndex& index, ObjectContents& contents) {
  for (const InputSection& section : index.file.linked_sections()) {
    if (section.role != SectionRole::Maps) continue;
    MapReader reader(index, section);
    for (const InputSymbol* symbol : index.symbols_in(section)) {
      if (symbol->type != STT_OBJECT && symbol->type != STT_NOTYPE) continue;
      contents.maps.push_back(reader.read(*symbol));
    }
  }
}

// struct_ops: variables whose members are programs.

namespace {

constexpr int deepest_nesting = 8;  ///< nested structs; the kernel's have none

/// The name of the member at byte `offset` of a struct, "inner.name" for a nested member; "" if no
/// member begins there.
std::string member_name(const BtfView& btf, uint32_t id, uint64_t offset, int depth = 0) {
  id = skip_modifiers(btf, id);
  if (id == 0 || depth > deepest_nesting) return "";
  BtfType type = btf.type(id);
  if (type.kind() != BtfKind::Struct && type.kind() != BtfKind::Union) return "";
  for (uint32_t i = 0; i < type.vlen(); ++i) {
    BtfMember member = type.member(i);
    uint64_t begin = type.member_bit_offset(i) / 8;
    uint64_t size = type_size(btf, member.type).value_or(0);
    if (offset < begin || offset >= begin + size) continue;
    std::string name(btf.string(member.name_off));
    std::string inner = member_name(btf, member.type, offset - begin, depth + 1);
    if (inner.empty()) return offset == begin ? name : "";
    return name.empty() ? inner : fmt::format("{}.{}", name, inner);
  }
  return "";
}

/// The bytes of the symbol; none in a section without contents.
std::span<const std::byte> contents_of(const InputSection& section, const InputSymbol& symbol) {
  if (symbol.value > section.data.size() || symbol.size > section.data.size() - symbol.value)
    return {};
  return section.data.subspan(symbol.value, symbol.size);
}

StructOps read_struct_ops(const ObjectIndex& index, const InputSection& section,
                          const InputSymbol& symbol, ObjectContents& contents) {
  const std::optional<Btf>& btf = index.file.btf;
  bool optional = section.name.starts_with('?');
  StructOps ops{.name = symbol.name,
                .section = section.name,
                .offset = symbol.value,
                .size = symbol.size,
                .contents = contents_of(section, symbol),
                .is_link = section.name.ends_with(".link"),
                .autoload = !optional};
  if (uint32_t type = index.type_of(symbol); type != 0) {
    ops.type_id = skip_modifiers(*btf, type);
    if (ops.type_id != 0) ops.type_name = btf->name(btf->type(ops.type_id));
  }
  for (const Relocation& relocation : section.relocations) {
    if (relocation.offset < symbol.value || relocation.offset - symbol.value >= symbol.size)
      continue;
    const InputSymbol* target = index.pointee(relocation);
    if (!target) continue;
    uint64_t offset = relocation.offset - symbol.value;
    std::string_view name;
    if (ops.type_id != 0)
      name = *contents.names.emplace_back(
          std::make_unique<std::string>(member_name(*btf, ops.type_id, offset)));
    ops.members.push_back({name, target->name, offset});
  }
  return ops;
}

}  // namespace

void collect_struct_ops(const ObjectIndex& index, ObjectContents& contents) {
  for (const InputSection& section : index.file.linked_sections()) {
    if (section.role != SectionRole::StructOps) continue;
    for (const InputSymbol* symbol : index.symbols_in(section))
      if (symbol->type == STT_OBJECT)
        contents.struct_ops.push_back(read_struct_ops(index, section, *symbol, contents));
  }
}

// Programs, variables of data sections, and externs.

namespace {

std::optional<DataSection::Kind> kind_of(SectionRole role) {
  if (role == SectionRole::Data) return DataSection::Kind::Data;
  if (role == SectionRole::Rodata) return DataSection::Kind::Rodata;
  if (role == SectionRole::Bss) return DataSection::Kind::Bss;
  if (role == SectionRole::Percpu) return DataSection::Kind::Percpu;
  if (role == SectionRole::Arena) return DataSection::Kind::Arena;
  return std::nullopt;
}

DataSection read_section(const ObjectIndex& index, const InputSection& section,
                         DataSection::Kind kind) {
  DataSection result{.name = section.name,
                     .kind = kind,
                     .size = section.size,
                     .alignment = section.alignment,
                     .datasec_id = index.datasec(section.name),
                     .contents = section.data};
  for (const InputSymbol* symbol : index.symbols_in(section)) {
    if (symbol->type != STT_OBJECT) continue;
    const BtfDeclaration* var = index.declaration_of(*symbol);
    result.variables.push_back({.name = symbol->name,
                                .offset = symbol->value,
                                .size = symbol->size,
                                .var_id = var ? var->type_id : 0,
                                .type_id = index.type_of(*symbol),
                                .is_static = symbol->is_local(),
                                .is_weak = symbol->binding == STB_WEAK,
                                .is_hidden = symbol->is_hidden()});
  }
  return result;
}

/// `.kconfig` is a section in BTF only. The loader lays it out by descending alignment, then
/// ascending size, then name.
void add_kconfig(const BtfView& btf, uint32_t datasec_id, ObjectContents& contents) {
  DataSection section{
      .name = ".kconfig", .kind = DataSection::Kind::Kconfig, .datasec_id = datasec_id};
  auto alignment_of = [&](const Variable& variable) {
    return uint64_t{type_alignment(btf, variable.type_id).value_or(1)};
  };
  BtfType datasec = btf.type(datasec_id);
  for (uint32_t i = 0; i < datasec.vlen(); ++i) {
    BtfVarSecinfo entry = datasec.var_secinfo(i);
    BtfType var = btf.type(entry.type);
    if (var.kind() != BtfKind::Var) continue;
    section.variables.push_back({.name = btf.name(var),
                                 .size = type_size(btf, var.type()).value_or(entry.size),
                                 .var_id = entry.type,
                                 .type_id = var.type()});
  }
  std::ranges::sort(section.variables, {}, [&](const Variable& variable) {
    return std::tuple(-alignment_of(variable), variable.size, variable.name);
  });
  for (Variable& variable : section.variables) {
    uint64_t alignment = alignment_of(variable);
    variable.offset = align_up(section.size, alignment);
    section.alignment = std::max(section.alignment, alignment);
    section.size = variable.offset + variable.size;
  }
  contents.data_sections.push_back(std::move(section));
}

}  // namespace

void collect_programs(const ObjectIndex& index, ObjectContents& contents) {
  for (const InputSection& section : index.file.linked_sections()) {
    if (!section.holds_programs()) continue;
    for (const InputSymbol* symbol : index.symbols_in(section)) {
      if (symbol->is_local() || symbol->type != STT_FUNC) continue;
      const BtfDeclaration* func = index.declaration_of(*symbol);
      contents.programs.push_back({symbol->name, section.name, section_meaning(section.name),
                                   symbol->value, symbol->size, func ? func->type_id : 0,
                                   index.type_of(*symbol)});
    }
  }
}

void collect_data_sections(const ObjectIndex& index, ObjectContents& contents) {
  for (const InputSection& section : index.file.linked_sections())
    if (auto kind = kind_of(section.role))
      contents.data_sections.push_back(read_section(index, section, *kind));
  if (uint32_t datasec = index.datasec(".kconfig"); datasec != 0)
    add_kconfig(*index.file.btf, datasec, contents);
}

void collect_externs(const ObjectIndex& index, ObjectContents& contents) {
  for (const InputSymbol& symbol : index.file.symbols) {
    if (symbol.is_defined() || symbol.is_local() || symbol.name.empty()) continue;
    Extern entry{.name = symbol.name,
                 .is_function = symbol.type == STT_FUNC,
                 .is_weak = symbol.binding == STB_WEAK};
    if (const BtfDeclaration* declaration = index.declaration_of(symbol)) {
      entry.btf_id = declaration->type_id;
      entry.type_id = declaration->type().type();
      entry.is_function = declaration->is_func();
      if (facts_of(declaration->role).has_loader_symbols) entry.section = declaration->datasec;
    }
    contents.externs.push_back(entry);
  }
}

}  // namespace bpflink
