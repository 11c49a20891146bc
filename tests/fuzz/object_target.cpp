// Object's view of an object: programs, maps, variables, externs and struct_ops, in the way of a
// skeleton generator
#include "bpflink/object.hpp"
#include "bpflink/print.hpp"
#include "tests/fuzz/target.hpp"

namespace bpflink::fuzz {
namespace {

/// Looks at a type, which must exist whatever the object contains.
void look_at(const Object& object, uint32_t type_id) {
  if (type_id == 0) return;
  require(object.btf() != nullptr, "a type id comes with BTF");
  require(type_id < object.btf()->end_id(), "a type id is one of the BTF");
  print_c_declaration(*object.btf(), type_id);
}

void look_at(const Object& object, const std::vector<MapAttribute>& attributes) {
  for (const MapAttribute& attribute : attributes) look_at(object, attribute.type_id);
}

void look_at(const Object& object, const DataSection& section) {
  look_at(object, section.datasec_id);
  require(section.contents.empty() || section.contents.size() == section.size,
          "contents are the whole section or nothing");
  uint64_t last = 0;
  for (const Variable& variable : section.variables) {
    require(variable.offset >= last, "variables ascend");
    require(variable.offset <= section.size && variable.size <= section.size - variable.offset,
            "variables are inside their section");
    look_at(object, variable.type_id);
    last = variable.offset;
  }
}

void look_at(const Object& object) {
  for (const Program& program : object.programs()) {
    section_meaning(program.section);
    program_type_name(program.meaning.type);
    look_at(object, program.type_id);
  }
  for (const Map& map : object.maps()) {
    look_at(object, map.attributes);
    look_at(object, map.inner_attributes);
    look_at(object, map.key_type_id);
    look_at(object, map.value_type_id);
    for (size_t i = 1; i < map.slots.size(); ++i)
      require(map.slots[i - 1].index <= map.slots[i].index, "slots ascend");
  }
  for (const DataSection& section : object.data_sections()) look_at(object, section);
  for (const Extern& external : object.externs()) look_at(object, external.type_id);
  for (const StructOps& variable : object.struct_ops()) {
    look_at(object, variable.type_id);
    for (const StructOpsMember& member : variable.members)
      require(member.offset < variable.size, "members are inside the variable");
  }
}

}  // namespace
}  // namespace bpflink::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bpflink;
  auto object = Object::parse(std::as_bytes(std::span(data, size)));
  if (object)
    fuzz::look_at(*object);
  else
    fuzz::require(!object.error().message.empty(), "an error says what is wrong");
  return 0;
}
