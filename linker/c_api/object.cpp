// The C interface's view of an object.
#include "bpflink/object.hpp"

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

/// The item of a list of the object's, or null where there is none.
template <typename Item>
const Item* item_at(std::span<const Item> items, size_t index) {
  return index < items.size() ? &items[index] : nullptr;
}

const Map* map_at(const bpflink_object* object, size_t index) {
  return object ? item_at(object->object.maps(), index) : nullptr;
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
          .slot_count = static_cast<uint32_t>(map.slots.size())};
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
          .program_size = program.size,
          .btf_id = program.btf_id,
          .type_id = program.type_id};
}

}  // namespace

extern "C" {

bpflink_status bpflink_object_open(const char* path, bpflink_object** object, char** error) {
  if (error) *error = nullptr;
  if (!path || !object) return BPFLINK_ERROR_ARGUMENT;
  *object = nullptr;
  return guarded([&] { return make_handle(Object::open(path), object, error); });
}

bpflink_status bpflink_object_parse(const void* image, size_t size, bpflink_object** object,
                                    char** error) {
  if (error) *error = nullptr;
  if (!object || (!image && size != 0)) return BPFLINK_ERROR_ARGUMENT;
  *object = nullptr;
  return guarded([&] {
    return make_handle(Object::parse({static_cast<const std::byte*>(image), size}), object, error);
  });
}

void bpflink_object_free(bpflink_object* object) {
  delete object;
}

const char* bpflink_object_license(const bpflink_object* object) {
  return object ? object->license.c_str() : "";
}

const bpflink_btf* bpflink_object_btf(const bpflink_object* object) {
  return object && object->btf.view ? &object->btf : nullptr;
}

size_t bpflink_object_program_count(const bpflink_object* object) {
  return object ? object->object.programs().size() : 0;
}
size_t bpflink_object_map_count(const bpflink_object* object) {
  return object ? object->object.maps().size() : 0;
}
size_t bpflink_object_data_section_count(const bpflink_object* object) {
  return object ? object->object.data_sections().size() : 0;
}
size_t bpflink_object_extern_count(const bpflink_object* object) {
  return object ? object->object.externs().size() : 0;
}
size_t bpflink_object_struct_ops_count(const bpflink_object* object) {
  return object ? object->object.struct_ops().size() : 0;
}

bpflink_status bpflink_object_program(const bpflink_object* object, size_t index,
                                      bpflink_program* out, size_t size) {
  const Program* program = object ? item_at(object->object.programs(), index) : nullptr;
  return program ? describe(program_for_c(*program), out, size) : BPFLINK_ERROR_ARGUMENT;
}

bpflink_status bpflink_object_map(const bpflink_object* object, size_t index, bpflink_map* out,
                                  size_t size) {
  const Map* map = map_at(object, index);
  return map ? describe(map_for_c(*map), out, size) : BPFLINK_ERROR_ARGUMENT;
}

bpflink_status bpflink_object_map_attribute(const bpflink_object* object, size_t map_index,
                                            size_t attribute, bpflink_map_attribute* out,
                                            size_t size) {
  const Map* map = map_at(object, map_index);
  if (!map || attribute >= map->attributes.size()) return BPFLINK_ERROR_ARGUMENT;
  const MapAttribute& found = map->attributes[attribute];
  bpflink_map_attribute for_c{c_string(found.name), found.number,
                              static_cast<bpflink_attribute_form>(found.form), found.type_id};
  return describe(for_c, out, size);
}

bpflink_status bpflink_object_map_slot(const bpflink_object* object, size_t map_index, size_t slot,
                                       uint32_t* index, const char** symbol) {
  const Map* map = map_at(object, map_index);
  if (!map || slot >= map->slots.size() || !index || !symbol) return BPFLINK_ERROR_ARGUMENT;
  *index = map->slots[slot].index;
  *symbol = c_string(map->slots[slot].symbol);
  return BPFLINK_OK;
}

bpflink_status bpflink_object_data_section(const bpflink_object* object, size_t index,
                                           bpflink_data_section* out, size_t size) {
  const DataSection* section = object ? item_at(object->object.data_sections(), index) : nullptr;
  if (!section) return BPFLINK_ERROR_ARGUMENT;
  bpflink_data_section for_c{c_string(section->name), section->size,
                             section->contents.empty() ? nullptr : section->contents.data(),
                             static_cast<uint32_t>(section->variables.size()), section->datasec_id};
  return describe(for_c, out, size);
}

bpflink_status bpflink_object_variable(const bpflink_object* object, size_t section_index,
                                       size_t variable, bpflink_variable* out, size_t size) {
  const DataSection* section =
      object ? item_at(object->object.data_sections(), section_index) : nullptr;
  if (!section || variable >= section->variables.size()) return BPFLINK_ERROR_ARGUMENT;
  const Variable& found = section->variables[variable];
  bpflink_variable for_c{c_string(found.name), found.offset, found.size, found.var_id,
                         found.type_id};
  return describe(for_c, out, size);
}

bpflink_status bpflink_object_extern(const bpflink_object* object, size_t index,
                                     bpflink_extern* out, size_t size) {
  const Extern* found = object ? item_at(object->object.externs(), index) : nullptr;
  if (!found) return BPFLINK_ERROR_ARGUMENT;
  bpflink_extern for_c{c_string(found->name), c_string(found->section), found->btf_id,
                       found->type_id,        found->is_function,       found->is_weak};
  return describe(for_c, out, size);
}

bpflink_status bpflink_object_struct_ops(const bpflink_object* object, size_t index,
                                         bpflink_struct_ops* out, size_t size) {
  const StructOps* found = object ? item_at(object->object.struct_ops(), index) : nullptr;
  if (!found) return BPFLINK_ERROR_ARGUMENT;
  bpflink_struct_ops for_c{c_string(found->name), c_string(found->section),
                           c_string(found->type_name), found->type_id, found->is_link};
  return describe(for_c, out, size);
}

}  // extern "C"
