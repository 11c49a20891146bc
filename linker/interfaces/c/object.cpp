// The C interface's view of an object.
#include "bpflink/object.hpp"

#include "linker/interfaces/c/support.hpp"
#include "linker/skeleton/emit.hpp"

using namespace bpflink;
using namespace bpflink::c_api;

struct bpflink_object {
  Object object;
  std::string license;
  bpflink_btf btf;
  Arrays arrays;
  bpflink_contents contents;
};

namespace {

bpflink_map_attribute attribute_for_c(const MapAttribute& attribute) {
  return {.name = c_string(attribute.name),
          .number = attribute.number,
          .form = static_cast<bpflink_attribute_form>(attribute.form),
          .type_id = attribute.type_id};
}

bpflink_map_slot slot_for_c(const MapSlot& slot) {
  return {.symbol = c_string(slot.symbol), .index = slot.index};
}

bpflink_map map_for_c(const Map& map, Arrays& arrays) {
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
          .is_static = map.is_static,
          .is_weak = map.is_weak,
          .attributes = arrays.keep(map.attributes, attribute_for_c),
          .inner_attributes = arrays.keep(map.inner_attributes, attribute_for_c),
          .slots = arrays.keep(map.slots, slot_for_c)};
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

bpflink_data_section section_for_c(const DataSection& section, Arrays& arrays) {
  return {.name = c_string(section.name),
          .size = section.size,
          .contents = section.contents.empty() ? nullptr : section.contents.data(),
          .datasec_id = section.datasec_id,
          .alignment = section.alignment,
          .kind = static_cast<bpflink_data_section_kind>(section.kind),
          .variables = arrays.keep(section.variables, variable_for_c)};
}

bpflink_extern extern_for_c(const Extern& found) {
  return {.name = c_string(found.name),
          .section = c_string(found.section),
          .btf_id = found.btf_id,
          .type_id = found.type_id,
          .is_function = found.is_function,
          .is_weak = found.is_weak};
}

bpflink_struct_ops_member struct_ops_member_for_c(const StructOpsMember& member) {
  return {
      .name = c_string(member.name), .program = c_string(member.program), .offset = member.offset};
}

bpflink_struct_ops struct_ops_for_c(const StructOps& found, Arrays& arrays) {
  return {.name = c_string(found.name),
          .section = c_string(found.section),
          .type_name = c_string(found.type_name),
          .type_id = found.type_id,
          .is_link = found.is_link,
          .offset = found.offset,
          .size = found.size,
          .autoload = found.autoload,
          .contents = found.contents.empty() ? nullptr : found.contents.data(),
          .members = arrays.keep(found.members, struct_ops_member_for_c)};
}

bpflink_status make_handle(std::expected<Object, Error> object, bpflink_object** out,
                           char** error) {
  if (!object) return give_reason(object.error(), error);
  auto handle = std::make_unique<bpflink_object>(std::move(*object));
  const Object& read = handle->object;
  Arrays& arrays = handle->arrays;
  auto with_arrays = [&](auto for_c) {
    return [&, for_c](const auto& item) { return for_c(item, arrays); };
  };
  handle->license = read.license();
  handle->btf.view = read.btf();
  handle->contents = {
      .byte_order = order_for_c(read.byte_order()),
      .license = handle->license.c_str(),
      .btf = read.btf() ? &handle->btf : nullptr,
      .programs = arrays.keep(read.programs(), program_for_c),
      .maps = arrays.keep(read.maps(), with_arrays(map_for_c)),
      .data_sections = arrays.keep(read.data_sections(), with_arrays(section_for_c)),
      .externs = arrays.keep(read.externs(), extern_for_c),
      .struct_ops = arrays.keep(read.struct_ops(), with_arrays(struct_ops_for_c))};
  *out = handle.release();
  return BPFLINK_OK;
}

bpflink_status give_skeleton(const void* image, size_t size, const char* name, SkeletonKind kind,
                             char** text, char** error) {
  if (error) *error = nullptr;
  if (text) *text = nullptr;
  if (!name || !text || (!image && size != 0)) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    std::span bytes(static_cast<const std::byte*>(image), size);
    auto skeleton = emit_skeleton(bytes, name, kind);
    if (!skeleton) return give_reason(skeleton.error(), error);
    *text = copy_string(*skeleton);
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
  return give_skeleton(image, size, name, SkeletonKind::Rust, text, error);
}

bpflink_status bpflink_libbpf_rs_module(const void* image, size_t size, const char* name,
                                        char** text, char** error) {
  return give_skeleton(image, size, name, SkeletonKind::LibbpfRs, text, error);
}

bpflink_status bpflink_skeleton(const void* image, size_t size, const char* name,
                                bpflink_skeleton_kind kind, char** text, char** error) {
  constexpr auto last = static_cast<unsigned>(SkeletonKind::Subskeleton);
  if (static_cast<unsigned>(kind) > last) {
    if (text) *text = nullptr;
    return give_reason(Error{"there is no such kind of skeleton"}, error, BPFLINK_ERROR_ARGUMENT);
  }
  return give_skeleton(image, size, name, static_cast<SkeletonKind>(kind), text, error);
}

void bpflink_object_free(bpflink_object* object) {
  delete object;
}

const bpflink_contents* bpflink_object_contents(const bpflink_object* object) {
  return object ? &object->contents : nullptr;
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

}  // extern "C"
