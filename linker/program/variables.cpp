// Programs, variables of data sections, and externs.
#include <algorithm>
#include <tuple>

#include "bpflink/btf_query.hpp"
#include "dedup/internal.hpp"
#include "linker/program/object_contents.hpp"

namespace bpflink {
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
