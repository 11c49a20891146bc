// Maps: the attributes in their definitions in `.maps`, and the contents of their slots.
#include <fmt/format.h>

#include "bpflink/btf_query.hpp"
#include "linker/program/object_contents.hpp"
#include "linker/types/map_definition.hpp"

namespace bpflink {
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

}  // namespace bpflink
