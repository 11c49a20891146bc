// struct_ops: variables whose members are programs.
#include <fmt/format.h>

#include "bpflink/btf_query.hpp"
#include "linker/program/object_contents.hpp"

namespace bpflink {
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

}  // namespace bpflink
