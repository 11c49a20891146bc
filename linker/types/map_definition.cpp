#include "linker/types/map_definition.hpp"

#include <fmt/format.h>
#include <linux/bpf.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "bpflink/btf_query.hpp"
#include "dedup/for_linker.hpp"

namespace bpflink {
namespace {

/// `int (*name)[N]` is a number, `T *name` a type. For `key` and `value`, an array is a type as
/// well.
MapAttribute pointer_attribute(const BtfView& types, std::string_view name, uint32_t target) {
  uint32_t id = skip_modifiers(types, target);
  if (types.kind(id) == BtfKind::Array && name != "key" && name != "value")
    return {name, MapAttribute::Form::Number, types.type(id).array_length()};
  return {name, MapAttribute::Form::Type, 0, target};
}

/// The type that the elements of `values` point to.
uint32_t element_of(const BtfView& types, BtfType array) {
  uint32_t element = skip_modifiers(types, array.array_element_type());
  if (types.kind(element) != BtfKind::Ptr) return element;
  return skip_modifiers(types, types.type(element).type());
}

MapAttribute attribute_of(const BtfView& types, std::string_view name, uint32_t member) {
  uint32_t id = skip_modifiers(types, member);
  if (id == 0) return {.name = name};
  BtfType type = types.type(id);
  if (type.kind() == BtfKind::Ptr) return pointer_attribute(types, name, type.type());
  if (type.kind() == BtfKind::Array)
    return {name, MapAttribute::Form::Values, 0, element_of(types, type)};
  if (is_enum(type.kind()) && type.vlen() == 1)
    return {name, MapAttribute::Form::Number, type.enumerator(0).value};
  return {name, MapAttribute::Form::Other, 0, id};
}

}  // namespace

std::vector<MapAttribute> read_map_attributes(const BtfView& types, uint32_t definition) {
  std::vector<MapAttribute> attributes;
  BtfType type = types.type(definition);
  attributes.reserve(type.vlen());
  for (uint32_t i = 0; i < type.vlen(); ++i)
    attributes.push_back(
        attribute_of(types, types.string(type.member(i).name_off), type.member(i).type));
  return attributes;
}

void read_map_definition(const BtfView& types, uint32_t definition, Map& map) {
  map.attributes = read_map_attributes(types, definition);
  for (const MapAttribute& attribute : map.attributes) {
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
      auto size = static_cast<uint32_t>(type_size(types, attribute.type_id).value_or(0));
      if (attribute.name == "key") {
        map.key_type_id = attribute.type_id;
        map.key_size = size;
      } else if (attribute.name == "value") {
        map.value_type_id = attribute.type_id;
        map.value_size = size;
      }
    } else if (attribute.form == MapAttribute::Form::Values &&
               types.kind(attribute.type_id) == BtfKind::Struct) {
      map.inner_attributes = read_map_attributes(types, attribute.type_id);
    }
  }
}

uint64_t full_map_bytes(const Map& map) {
  constexpr uint64_t page = 4096;
  std::string_view type = map_type_name(map.type);
  if (type.ends_with("ringbuf")) return map.max_entries;
  if (type == "arena") return map.max_entries * page;
  bool has_keys = type.ends_with("hash") || type == "lpm_trie" || type == "hash_of_maps";
  return map.max_entries *
         (align_up(map.value_size, 8) + (has_keys ? align_up(map.key_size, 8) : 0));
}

namespace {

constexpr std::string_view known_attributes[] = {
    "type",       "max_entries", "map_flags", "numa_node", "key_size", "key",
    "value_size", "value",       "values",    "pinning",   "map_extra"};

bool is_known(const MapAttribute& attribute) {
  return std::ranges::find(known_attributes, attribute.name) != std::end(known_attributes);
}

/// Bounds the time for many variables of one type.
bool has_too_many_members(const BtfView& types, uint32_t definition) {
  return types.type(definition).vlen() > std::size(known_attributes);
}

bool holds_maps(uint64_t type) {
  return type == BPF_MAP_TYPE_ARRAY_OF_MAPS || type == BPF_MAP_TYPE_HASH_OF_MAPS;
}

/// What is wrong with one attribute, as the rest of a sentence about the map.
std::string find_fault(const MapAttribute& attribute, const BtfView& types, uint64_t map_type,
                       bool is_inner) {
  using Form = MapAttribute::Form;
  std::string_view name = attribute.name;
  if (!is_known(attribute)) return fmt::format("has an unknown attribute '{}'", name);
  if (name == "key" || name == "value") {
    if (attribute.form != Form::Type) return fmt::format("has a {} without __type()", name);
    return type_size(types, attribute.type_id) ? "" : fmt::format("has a {} without a size", name);
  }
  if (name != "values") {
    if (attribute.form != Form::Number) return fmt::format("has a {} without __uint()", name);
    return is_inner && name == "pinning" ? "is pinned" : "";
  }
  BtfKind kind = types.kind(attribute.type_id);
  if (is_inner) return "has values of its own";
  if (map_type == BPF_MAP_TYPE_PROG_ARRAY)
    return kind == BtfKind::FuncProto ? "" : "has values that are not functions";
  if (!holds_maps(map_type))
    return fmt::format("of type {} has values: maps of maps and prog_array do",
                       map_type_name(static_cast<uint32_t>(map_type)));
  return kind == BtfKind::Struct ? "" : "has values that are not maps";
}

/// What libbpf finds wrong with a definition.
std::string find_fault(const BtfView& types, uint32_t definition, bool is_inner) {
  if (types.kind(definition) != BtfKind::Struct)
    return "is not a map: it is not a struct with the attributes of a map";
  if (has_too_many_members(types, definition)) return "has more members than there are attributes";
  uint64_t type = 0;
  for (const MapAttribute& attribute : read_map_attributes(types, definition)) {
    if (attribute.name == "type") type = attribute.number;
    if (auto fault = find_fault(attribute, types, type, is_inner); !fault.empty()) return fault;
  }
  return type == 0 ? "has no type" : "";
}

}  // namespace

uint64_t map_number(const BtfView& types, uint32_t variable_type, std::string_view name) {
  uint32_t definition = skip_modifiers(types, variable_type);
  if (!is_composite(types.kind(definition))) return 0;
  for (const MapAttribute& attribute : read_map_attributes(types, definition))
    if (attribute.name == name) return attribute.number;
  return 0;
}

std::string find_map_fault(const BtfView& types, uint32_t definition) {
  std::string fault = find_fault(types, definition, false);
  if (!fault.empty()) return fault;
  for (const MapAttribute& attribute : read_map_attributes(types, definition))
    if (attribute.name == "values" && types.kind(attribute.type_id) == BtfKind::Struct)
      if (fault = find_fault(types, attribute.type_id, true); !fault.empty())
        return "has an inner map that " + fault;
  return "";
}

std::string find_libbpf_fault(const BtfView& types, const Map& map) {
  for (const std::string name : {"key", "value"}) {
    uint64_t before = 0;
    for (const MapAttribute& attribute : map.attributes) {
      bool is_number = attribute.name == name + "_size";
      if (!is_number && attribute.name != name) continue;
      uint64_t size =
          is_number ? attribute.number : type_size(types, attribute.type_id).value_or(0);
      if (before != 0 && before != size)
        return fmt::format("has a {0} of {1} and a {0}_size of {2}", name,
                           count_of(is_number ? before : size, "byte"), is_number ? size : before);
      before = size;
    }
  }
  if (map.pinning <= 1) return "";  // LIBBPF_PIN_BY_NAME
  return fmt::format("has a pinning of {}, and libbpf takes 0 and 1", map.pinning);
}

bool is_like_map(const BtfView& types, uint32_t definition) {
  if (types.kind(definition) != BtfKind::Struct || has_too_many_members(types, definition))
    return false;
  auto attributes = read_map_attributes(types, definition);
  auto has_form = [](const MapAttribute& attribute) {
    return is_known(attribute) && attribute.form != MapAttribute::Form::Other;
  };
  bool has_type = std::ranges::any_of(attributes, [](const MapAttribute& attribute) {
    return attribute.name == "type" && attribute.form == MapAttribute::Form::Number;
  });
  return has_type && std::ranges::all_of(attributes, has_form);
}

}  // namespace bpflink
