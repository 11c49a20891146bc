// The C interface's view of an object.
#include "bpflink/object.hpp"

#include "linker/bpfskel/emit.hpp"
#include "linker/c_api/support.hpp"

using namespace bpflink;
using namespace bpflink::c_api;

struct bpflink_object {
  Object object;
  std::string license;
  bpflink_btf btf;
};

namespace {

bpflink_status make_handle(std::expected<Object, Error> object, bpflink_object** out,
                           char** error) {
  if (!object) return give_reason(object.error(), error);
  auto handle = std::make_unique<bpflink_object>(std::move(*object));
  handle->license = handle->object.license();
  handle->btf.view = handle->object.btf();
  *out = handle.release();
  return BPFLINK_OK;
}

/// Describes item `index` of a list, as `for_c` says it.
template <typename Item, typename Description, typename ForC>
bpflink_status describe_item(std::span<const Item> items, size_t index, Description* out,
                             size_t size, ForC for_c) {
  if (index >= items.size()) return BPFLINK_ERROR_ARGUMENT;
  return describe(for_c(items[index]), out, size);
}

/// The list of an object that `items` gives, empty without an object.
template <typename Item>
std::span<const Item> items_of(const bpflink_object* object,
                               std::span<const Item> (Object::*items)() const) {
  return object ? (object->object.*items)() : std::span<const Item>();
}

/// Gives the index of the item that `find` finds by its name.
template <typename Item>
bpflink_status give_index(const bpflink_object* object, const char* name, size_t* index,
                          std::span<const Item> (Object::*items)() const,
                          const Item* (Object::*find)(std::string_view) const) {
  if (!object || !name || !index) return BPFLINK_ERROR_ARGUMENT;
  const Item* item = (object->object.*find)(name);
  if (!item) return BPFLINK_ERROR_NOT_FOUND;
  *index = static_cast<size_t>(item - (object->object.*items)().data());
  return BPFLINK_OK;
}

std::span<const Variable> variables_of(const bpflink_object* object, size_t section) {
  auto sections = items_of(object, &Object::data_sections);
  return section < sections.size() ? sections[section].variables : std::span<const Variable>();
}

/// A list of map `index`, empty where there is no such map.
template <typename Item>
std::span<const Item> items_of_map(const bpflink_object* object, size_t index,
                                   std::vector<Item> Map::*items) {
  auto maps = items_of(object, &Object::maps);
  return index < maps.size() ? maps[index].*items : std::span<const Item>();
}

bpflink_map map_for_c(const Map& map) {
  return {.name = c_string(map.name),
          .offset = map.offset,
          .extra = map.extra,
          .type = map.type,
          .key_size = map.key_size,
          .value_size = map.value_size,
          .max_entries = map.max_entries,
          .flags = map.flags,
          .numa_node = map.numa_node,
          .pinning = map.pinning,
          .key_type_id = map.key_type_id,
          .value_type_id = map.value_type_id,
          .var_id = map.var_id,
          .attribute_count = static_cast<uint32_t>(map.attributes.size()),
          .slot_count = static_cast<uint32_t>(map.slots.size()),
          .inner_attribute_count = static_cast<uint32_t>(map.inner_attributes.size()),
          .is_static = map.is_static,
          .is_weak = map.is_weak};
}

bpflink_program program_for_c(const Program& program) {
  return {.name = c_string(program.name),
          .section = c_string(program.section),
          .target = c_string(program.meaning.target),
          .type = static_cast<uint32_t>(program.meaning.type),
          .attach_type = program.meaning.attach_type,
          .sleepable = program.meaning.sleepable,
          .autoload = program.meaning.autoload,
          .offset = program.offset,
          .size = program.size,
          .btf_id = program.btf_id,
          .type_id = program.type_id,
          .xdp_frags = program.meaning.xdp_frags};
}

bpflink_map_attribute attribute_for_c(const MapAttribute& attribute) {
  return {.name = c_string(attribute.name),
          .number = attribute.number,
          .form = static_cast<bpflink_attribute_form>(attribute.form),
          .type_id = attribute.type_id};
}

bpflink_data_section section_for_c(const DataSection& section) {
  return {.name = c_string(section.name),
          .size = section.size,
          .contents = section.contents.empty() ? nullptr : section.contents.data(),
          .variable_count = static_cast<uint32_t>(section.variables.size()),
          .datasec_id = section.datasec_id,
          .alignment = section.alignment,
          .kind = static_cast<bpflink_data_section_kind>(section.kind)};
}

bpflink_variable variable_for_c(const Variable& variable) {
  return {.name = c_string(variable.name),
          .offset = variable.offset,
          .size = variable.size,
          .var_id = variable.var_id,
          .type_id = variable.type_id,
          .is_static = variable.is_static,
          .is_weak = variable.is_weak,
          .is_hidden = variable.is_hidden};
}

bpflink_extern extern_for_c(const Extern& found) {
  return {.name = c_string(found.name),
          .section = c_string(found.section),
          .btf_id = found.btf_id,
          .type_id = found.type_id,
          .is_function = found.is_function,
          .is_weak = found.is_weak};
}

bpflink_struct_ops struct_ops_for_c(const StructOps& found) {
  return {.name = c_string(found.name),
          .section = c_string(found.section),
          .type_name = c_string(found.type_name),
          .type_id = found.type_id,
          .is_link = found.is_link,
          .offset = found.offset,
          .size = found.size,
          .autoload = found.autoload,
          .member_count = static_cast<uint32_t>(found.members.size()),
          .contents = found.contents.empty() ? nullptr : found.contents.data()};
}

bpflink_struct_ops_member struct_ops_member_for_c(const StructOpsMember& member) {
  return {
      .name = c_string(member.name), .program = c_string(member.program), .offset = member.offset};
}

bpflink_status give_module(const void* image, size_t size, const char* name, bool for_libbpf_rs,
                           char** text, char** error) {
  if (error) *error = nullptr;
  if (text) *text = nullptr;
  if (!name || !text || (!image && size != 0)) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    std::span bytes(static_cast<const std::byte*>(image), size);
    auto object = Object::parse(bytes);
    if (!object) return give_reason(object.error(), error);
    auto skeleton = make_skeleton(*object, name, bytes);
    if (!skeleton) return give_reason(skeleton.error(), error);
    *text = copy_string(emit_rust(*skeleton, for_libbpf_rs));
    return *text ? BPFLINK_OK : BPFLINK_ERROR_MEMORY;
  });
}

}  // namespace

extern "C" {

bpflink_status bpflink_object_open(const char* path, bpflink_object** object, char** error) {
  if (error) *error = nullptr;
  if (object) *object = nullptr;
  if (!path || !object) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] { return make_handle(Object::open(path), object, error); });
}

bpflink_status bpflink_object_parse(const void* image, size_t size, bpflink_object** object,
                                    char** error) {
  if (error) *error = nullptr;
  if (object) *object = nullptr;
  if (!object || (!image && size != 0)) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    return make_handle(Object::parse({static_cast<const std::byte*>(image), size}), object, error);
  });
}

bpflink_status bpflink_rust_module(const void* image, size_t size, const char* name, char** text,
                                   char** error) {
  return give_module(image, size, name, false, text, error);
}

bpflink_status bpflink_libbpf_rs_module(const void* image, size_t size, const char* name,
                                        char** text, char** error) {
  return give_module(image, size, name, true, text, error);
}

void bpflink_object_free(bpflink_object* object) {
  delete object;
}

bpflink_byte_order bpflink_object_byte_order(const bpflink_object* object) {
  return object ? order_for_c(object->object.byte_order()) : BPFLINK_LITTLE_ENDIAN;
}

const char* bpflink_object_license(const bpflink_object* object) {
  return object ? object->license.c_str() : "";
}

const bpflink_btf* bpflink_object_btf(const bpflink_object* object) {
  return object && object->btf.view ? &object->btf : nullptr;
}

const char* bpflink_program_type_name(uint32_t type) {
  return c_string(program_type_name(ProgramType(type)));
}

const char* bpflink_attach_type_name(uint32_t type) {
  return c_string(attach_type_name(type));
}

const char* bpflink_map_type_name(uint32_t type) {
  return c_string(map_type_name(type));
}

size_t bpflink_object_program_count(const bpflink_object* object) {
  return items_of(object, &Object::programs).size();
}
size_t bpflink_object_map_count(const bpflink_object* object) {
  return items_of(object, &Object::maps).size();
}
size_t bpflink_object_data_section_count(const bpflink_object* object) {
  return items_of(object, &Object::data_sections).size();
}
size_t bpflink_object_extern_count(const bpflink_object* object) {
  return items_of(object, &Object::externs).size();
}
size_t bpflink_object_struct_ops_count(const bpflink_object* object) {
  return items_of(object, &Object::struct_ops).size();
}

bpflink_status bpflink_object_program(const bpflink_object* object, size_t index,
                                      bpflink_program* out, size_t size) {
  return describe_item(items_of(object, &Object::programs), index, out, size, program_for_c);
}

bpflink_status bpflink_object_map(const bpflink_object* object, size_t index, bpflink_map* out,
                                  size_t size) {
  return describe_item(items_of(object, &Object::maps), index, out, size, map_for_c);
}

bpflink_status bpflink_object_map_attribute(const bpflink_object* object, size_t map,
                                            size_t attribute, bpflink_map_attribute* out,
                                            size_t size) {
  return describe_item(items_of_map(object, map, &Map::attributes), attribute, out, size,
                       attribute_for_c);
}

bpflink_status bpflink_object_map_inner_attribute(const bpflink_object* object, size_t map,
                                                  size_t attribute, bpflink_map_attribute* out,
                                                  size_t size) {
  return describe_item(items_of_map(object, map, &Map::inner_attributes), attribute, out, size,
                       attribute_for_c);
}

bpflink_status bpflink_object_map_slot(const bpflink_object* object, size_t map, size_t slot,
                                       uint32_t* index, const char** symbol) {
  auto slots = items_of_map(object, map, &Map::slots);
  if (slot >= slots.size() || !index || !symbol) return BPFLINK_ERROR_ARGUMENT;
  *index = slots[slot].index;
  *symbol = c_string(slots[slot].symbol);
  return BPFLINK_OK;
}

bpflink_status bpflink_object_data_section(const bpflink_object* object, size_t index,
                                           bpflink_data_section* out, size_t size) {
  return describe_item(items_of(object, &Object::data_sections), index, out, size, section_for_c);
}

bpflink_status bpflink_object_variable(const bpflink_object* object, size_t section,
                                       size_t variable, bpflink_variable* out, size_t size) {
  return describe_item(variables_of(object, section), variable, out, size, variable_for_c);
}

bpflink_status bpflink_object_extern(const bpflink_object* object, size_t index,
                                     bpflink_extern* out, size_t size) {
  return describe_item(items_of(object, &Object::externs), index, out, size, extern_for_c);
}

bpflink_status bpflink_object_struct_ops(const bpflink_object* object, size_t index,
                                         bpflink_struct_ops* out, size_t size) {
  return describe_item(items_of(object, &Object::struct_ops), index, out, size, struct_ops_for_c);
}

bpflink_status bpflink_object_struct_ops_member(const bpflink_object* object, size_t index,
                                                size_t member, bpflink_struct_ops_member* out,
                                                size_t size) {
  auto struct_ops = items_of(object, &Object::struct_ops);
  if (index >= struct_ops.size()) return BPFLINK_ERROR_ARGUMENT;
  return describe_item(std::span(struct_ops[index].members), member, out, size,
                       struct_ops_member_for_c);
}

bpflink_status bpflink_object_find_program(const bpflink_object* object, const char* name,
                                           size_t* index) {
  return give_index(object, name, index, &Object::programs, &Object::find_program);
}

bpflink_status bpflink_object_find_map(const bpflink_object* object, const char* name,
                                       size_t* index) {
  return give_index(object, name, index, &Object::maps, &Object::find_map);
}

bpflink_status bpflink_object_find_variable(const bpflink_object* object, const char* name,
                                            size_t* section, size_t* variable) {
  if (!object || !name || !section || !variable) return BPFLINK_ERROR_ARGUMENT;
  const Variable* found = object->object.find_variable(name);
  if (!found) return BPFLINK_ERROR_NOT_FOUND;
  *section = found->data_section;
  *variable = static_cast<size_t>(found - variables_of(object, *section).data());
  return BPFLINK_OK;
}

bpflink_status bpflink_object_find_extern(const bpflink_object* object, const char* name,
                                          size_t* index) {
  return give_index(object, name, index, &Object::externs, &Object::find_extern);
}

bpflink_status bpflink_object_find_struct_ops(const bpflink_object* object, const char* name,
                                              size_t* index) {
  return give_index(object, name, index, &Object::struct_ops, &Object::find_struct_ops);
}

}  // extern "C"
