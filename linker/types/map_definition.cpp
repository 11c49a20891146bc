#include "linker/types/map_definition.hpp"

#include <array>

#include "bpflink/btf_query.hpp"

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

std::string_view map_type_name(uint32_t type) {
  // In the order of the kernel's enum bpf_map_type, as bpftool spells them.
  constexpr std::array<std::string_view, 35> names = {"unspec",
                                                      "hash",
                                                      "array",
                                                      "prog_array",
                                                      "perf_event_array",
                                                      "percpu_hash",
                                                      "percpu_array",
                                                      "stack_trace",
                                                      "cgroup_array",
                                                      "lru_hash",
                                                      "lru_percpu_hash",
                                                      "lpm_trie",
                                                      "array_of_maps",
                                                      "hash_of_maps",
                                                      "devmap",
                                                      "sockmap",
                                                      "cpumap",
                                                      "xskmap",
                                                      "sockhash",
                                                      "cgroup_storage",
                                                      "reuseport_sockarray",
                                                      "percpu_cgroup_storage",
                                                      "queue",
                                                      "stack",
                                                      "sk_storage",
                                                      "devmap_hash",
                                                      "struct_ops",
                                                      "ringbuf",
                                                      "inode_storage",
                                                      "task_storage",
                                                      "bloom_filter",
                                                      "user_ringbuf",
                                                      "cgrp_storage",
                                                      "arena",
                                                      "insn_array"};
  return type < names.size() ? names[type] : "unknown";
}

}  // namespace bpflink
