#include "model.hpp"

#include <algorithm>
#include <set>

#include "bpflink/btf_query.hpp"
#include "bpflink/print.hpp"
#include "text.hpp"

using namespace bpflink;

namespace {

constexpr uint32_t BPF_MAP_TYPE_ARENA = 33;

/// Gives each name once: static variables of two files may have the same.
class UniqueNames {
 public:
  std::string take(std::string name) {
    std::string candidate = name;
    for (int i = 2; !taken_.insert(candidate).second; i++)
      candidate = name + "__" + std::to_string(i);
    return candidate;
  }

 private:
  std::set<std::string> taken_;
};

/// The declaration of a member with the variable's type, but one that user space
/// may write to: without the qualifiers of the variable or its elements.
std::string declare(const Btf& btf, uint32_t type, std::string name) {
  for (;;) {
    type = skip_qualifiers(btf, type);
    if (type == 0 || btf.type(type).kind() != BTF_KIND_ARRAY) break;
    name += '[' + std::to_string(btf.type(type).array_length()) + ']';
    type = btf.type(type).array_element_type();
  }
  return print_c_declaration(btf, type, name);
}

class SectionWriter {
 public:
  explicit SectionWriter(const Btf& btf) : btf_(btf) {}

  Section write(const DataSection& data, std::string name) {
    Section section{std::move(name), {}};
    uint64_t end = 0;
    for (const Variable& variable : data.variables) {
      // Static variables, whose names need not be unique, aliases, and what has no
      // type: their bytes are padding.
      if (variable.is_static || variable.type_id == 0 || variable.offset < end) continue;
      if (variable.offset != natural_offset(end, variable.type_id))
        add_padding(section, end, variable.offset);
      std::string member = names_.take(identifier(variable.name));
      section.members.push_back(
          {member, declare(btf_, variable.type_id, member), variable.offset, variable.size});
      end = variable.offset + variable.size;
    }
    return section;
  }

 private:
  /// Where C puts a member of that type behind `end` bytes.
  uint64_t natural_offset(uint64_t end, uint32_t type) const {
    uint64_t alignment = type_alignment(btf_, type).value_or(1);
    return (end + alignment - 1) / alignment * alignment;
  }

  void add_padding(Section& section, uint64_t begin, uint64_t end) {
    std::string name = names_.take("__pad" + std::to_string(padding_++));
    section.members.push_back(
        {name, "char " + name + '[' + std::to_string(end - begin) + ']', begin, end - begin, true});
  }

  const Btf& btf_;
  UniqueNames names_;
  int padding_ = 0;
};

void add_data_section(const Object& object, const DataSection& data, UniqueNames& names,
                      Skeleton& skeleton) {
  bool is_arena = data.kind == DataSection::Kind::Arena;
  std::string name = is_arena ? "arena" : names.take(identifier(data.name.substr(1)));
  bool has_types = object.btf() && data.datasec_id != 0 && !data.variables.empty();
  if (is_arena) {
    // The arena is a map of the object's own; its variables are the map's memory.
    for (MapEntry& map : skeleton.maps)
      if (map.section == "arena" && !has_types) map.section = "";
  } else {
    skeleton.maps.push_back({name, std::string(data.name), has_types ? name : "", false});
  }
  if (has_types)
    skeleton.sections.push_back(SectionWriter(*object.btf()).write(data, std::move(name)));
}

}  // namespace

Skeleton make_skeleton(const Object& object, std::string name, std::span<const std::byte> image) {
  Skeleton skeleton{std::move(name), {}, {}, {}, image};
  UniqueNames map_names;
  bool has_arena_data = std::ranges::any_of(object.data_sections(), [](const DataSection& section) {
    return section.kind == DataSection::Kind::Arena && section.size > 0;
  });
  for (const Map& map : object.maps()) {
    bool holds_arena = map.type == BPF_MAP_TYPE_ARENA && has_arena_data;
    skeleton.maps.push_back({map_names.take(identifier(map.name)), std::string(map.name),
                             holds_arena ? "arena" : "", false});
  }
  for (const StructOps& ops : object.struct_ops())
    skeleton.maps.push_back(
        {map_names.take(identifier(ops.name)), std::string(ops.name), "", ops.is_link});
  for (const DataSection& data : object.data_sections())
    if (data.size > 0) add_data_section(object, data, map_names, skeleton);
  for (const Program& program : object.programs()) skeleton.programs.emplace_back(program.name);
  return skeleton;
}
