// Maps: their definitions in `.maps`, read from BTF.
//
// A map is a variable of struct type. Each member says one attribute in its
// type: a number is the length of an array that the member points to, or the
// value of an enumerator; a type is what the member points to; what a map of
// maps or programs holds is an array of pointers to it.
#include <fmt/format.h>

#include <algorithm>

#include "bpflink/btf_query.hpp"
#include "linker/error.hpp"
#include "linker/object/contents.hpp"

namespace bpflink {
namespace {

constexpr uint64_t pointer_size = 8;

class MapReader {
 public:
  MapReader(const ObjectIndex& index, const InputSection& section)
      : index_(index), section_(section), vars_(index.vars(section.name)) {}

  std::expected<Map, Error> read(const InputSymbol& symbol) {
    Map map{.name = symbol.name,
            .offset = symbol.value,
            .var_id = var_of(vars_, symbol),
            .is_static = symbol.is_local(),
            .is_weak = symbol.binding == STB_WEAK};
    if (map.var_id == 0) return map;
    uint32_t definition = skip_modifiers(btf(), btf().type(map.var_id).type());
    if (!is_struct(definition)) return fail("map '{}' is not a struct", map.name);
    map.attributes = attributes_of(definition);
    for (const MapAttribute& attribute : map.attributes) apply(attribute, map);
    read_slots(definition, symbol, map);
    return map;
  }

 private:
  const Btf& btf() const { return *index_.file.btf; }

  bool is_struct(uint32_t id) const { return id != 0 && btf().type(id).kind() == BtfKind::Struct; }

  std::vector<MapAttribute> attributes_of(uint32_t definition) const {
    std::vector<MapAttribute> attributes;
    BtfType type = btf().type(definition);
    attributes.reserve(type.vlen());
    for (uint32_t i = 0; i < type.vlen(); ++i)
      attributes.push_back(
          attribute_of(btf().string(type.member(i).name_off), type.member(i).type));
    return attributes;
  }

  MapAttribute attribute_of(std::string_view name, uint32_t member) const {
    uint32_t id = skip_modifiers(btf(), member);
    if (id == 0) return {.name = name};
    BtfType type = btf().type(id);
    if (type.kind() == BtfKind::Ptr) return pointer_attribute(name, type.type());
    if (type.kind() == BtfKind::Array)
      return {name, MapAttribute::Form::Values, 0, element_of(type)};
    if (type.kind() == BtfKind::Enum && type.vlen() > 0)
      return {name, MapAttribute::Form::Number, type.enumerator(0).value};
    if (type.kind() == BtfKind::Enum64 && type.vlen() > 0)
      return {name, MapAttribute::Form::Number, type.enumerator64(0).value};
    return {name, MapAttribute::Form::Other, 0, id};
  }

  /// `int (*name)[N]` is a number, `T *name` a type. An array is a number only
  /// where the attribute is none of those that have a type.
  MapAttribute pointer_attribute(std::string_view name, uint32_t target) const {
    uint32_t id = skip_modifiers(btf(), target);
    bool is_array = id != 0 && btf().type(id).kind() == BtfKind::Array;
    if (is_array && name != "key" && name != "value")
      return {name, MapAttribute::Form::Number, btf().type(id).array_length()};
    return {name, MapAttribute::Form::Type, 0, target};
  }

  /// What the elements of `values` point to.
  uint32_t element_of(BtfType array) const {
    uint32_t element = skip_modifiers(btf(), array.array_element_type());
    if (element != 0 && btf().type(element).kind() == BtfKind::Ptr)
      element = skip_modifiers(btf(), btf().type(element).type());
    return element;
  }

  void apply(const MapAttribute& attribute, Map& map) const {
    auto number = static_cast<uint32_t>(attribute.number);
    if (attribute.form == MapAttribute::Form::Number) {
      if (attribute.name == "type") map.type = number;
      if (attribute.name == "key_size") map.key_size = number;
      if (attribute.name == "value_size") map.value_size = number;
      if (attribute.name == "max_entries") map.max_entries = number;
      if (attribute.name == "map_flags") map.flags = number;
      if (attribute.name == "map_extra") map.extra = attribute.number;
      if (attribute.name == "numa_node") map.numa_node = number;
      if (attribute.name == "pinning") map.pinning = number;
    } else if (attribute.form == MapAttribute::Form::Type) {
      auto size = static_cast<uint32_t>(type_size(btf(), attribute.type_id).value_or(0));
      if (attribute.name == "key") {
        map.key_type_id = attribute.type_id;
        map.key_size = size;
      } else if (attribute.name == "value") {
        map.value_type_id = attribute.type_id;
        map.value_size = size;
      }
    } else if (attribute.form == MapAttribute::Form::Values && is_struct(attribute.type_id)) {
      map.inner_attributes = attributes_of(attribute.type_id);
    }
  }

  /// The slots are pointers from where the member `values` is on.
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
  SectionVars vars_;
};

}  // namespace

std::expected<void, Error> collect_maps(const ObjectIndex& index, ObjectContents& contents) {
  for (const InputSection& section : index.file.linked_sections()) {
    if (section.name != ".maps") continue;
    MapReader reader(index, section);
    for (const InputSymbol* symbol : index.symbols_in(section)) {
      if (symbol->type != STT_OBJECT && symbol->type != STT_NOTYPE) continue;
      auto map = reader.read(*symbol);
      if (!map) return std::unexpected(map.error());
      contents.maps.push_back(std::move(*map));
    }
  }
  return {};
}

}  // namespace bpflink
