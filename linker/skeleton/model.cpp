#include "linker/skeleton/model.hpp"

#include <algorithm>

#include "bpflink/btf_query.hpp"
#include "bpflink/print.hpp"
#include "dedup/for_linker.hpp"
#include "linker/error.hpp"
#include "linker/skeleton/natural_layout.hpp"
#include "linker/skeleton/text.hpp"
#include "linker/types/map_definition.hpp"
#include "linker/types/qualifiers.hpp"

namespace bpflink {

namespace {

/// Makes unique C identifiers: static variables of two files may have the same name.
class UniqueNames {
 public:
  std::string make(std::string_view name) {
    std::string text = make_c_name(name);
    if (is_type_or_macro(text)) text += '_';
    return names_.next(text, [](const std::string&) { return false; });
  }

 private:
  RepeatedNames names_;
};

/// The longest text of declarations, in bytes: clang reads no file of 2 GiB. Structs may have a
/// form for each kind of hosts.
constexpr uint64_t max_text_size = uint64_t{2} << 30;

/// An object while its skeleton is made.
struct Source {
  const Object& object;
  /// For which the declarations are at present.
  Host host = Host::Bits64;
  /// Bytes of declarations and names. Many variables may have one type that takes long to write,
  /// and many symbols one long name.
  uint64_t text_size = 0;

  explicit Source(const Object& from)
      : object(from),
        on_64_bits_(btf_of(from), Host::Bits64),
        on_32_bits_(btf_of(from), Host::Bits32) {}

  NaturalLayouts& layouts() { return host == Host::Bits64 ? on_64_bits_ : on_32_bits_; }
  const BtfView& btf() const { return on_64_bits_.btf(); }
  bool is_too_long() const { return text_size > max_text_size; }
  void add(std::vector<Member>& members, Member member) {
    text_size += member.declaration.size() + member.name.size() + member.loader_name.size();
    members.push_back(std::move(member));
  }
  /// The name of a map or program, for loaders.
  std::string loader_name(std::string_view name) {
    text_size += name.size();
    return std::string(is_too_long() ? "" : name);
  }

 private:
  static BtfView btf_of(const Object& from) {
    return from.btf() != nullptr ? BtfView(*from.btf()) : BtfView();
  }

  NaturalLayouts on_64_bits_, on_32_bits_;
};

/// A declaration with a type of 8 bytes in place of a pointer or `long`, or in arrays of them.
std::string declare_widened(const BtfView& btf, uint32_t type, std::string_view name) {
  std::string lengths;
  uint32_t id = skip_modifiers(btf, type);
  for (; btf.kind(id) == BtfKind::Array;
       id = skip_modifiers(btf, btf.type(id).array_element_type()))
    lengths += fmt::format("[{}]", btf.type(id).array_length());
  bool is_signed =
      btf.kind(id) == BtfKind::Int && (btf.type(id).int_encoding() & btf_int_signed) != 0;
  return fmt::format("{}long long {}{}", is_signed ? "" : "unsigned ", name, lengths);
}

/// The declaration of a member with the variable's type, but writable. If C would lay the type out
/// differently, an array of bytes.
std::string declare_writable(Source& source, uint32_t type, std::string_view name) {
  if (!source.layouts().is_natural(type))
    return fmt::format("char {}[{}]", name, type_size(source.btf(), type).value_or(0));
  if (source.layouts().is_widened(type)) return declare_widened(source.btf(), type, name);
  return print_c_variable(source.btf(), type, name);
}

Member make_padding(std::string name, uint64_t begin, uint64_t end) {
  return {.name = name,
          .declaration = fmt::format("char {}[{}]", name, end - begin),
          .offset = begin,
          .size = end - begin};
}

/// The offset at which every C compiler puts a member of that type after `end` bytes. 32-bit
/// compilers align to at most 4, so larger alignments get explicit padding.
uint64_t natural_offset(Source& source, uint64_t end, uint32_t type) {
  constexpr uint32_t most = 4;
  bool is_bytes = !source.layouts().is_natural(type);
  uint64_t alignment =
      is_bytes ? 1 : std::min(type_alignment(source.btf(), type).value_or(1), most);
  return align_up(end, alignment);
}

/// Whether a variable becomes a member. Static variables (their names need not be unique), hidden
/// ones and those without a size become padding.
bool is_shown(const BtfView& btf, const Variable& variable) {
  return !variable.is_static && !variable.is_hidden && variable.type_id != 0 &&
         type_size(btf, variable.type_id).has_value();
}

std::string declare_variable(Source& source, const DataSection& data, const Variable& variable,
                             std::string_view name) {
  // The loader fills in the kernel's configuration; user space must not write to it.
  bool is_const = data.kind == DataSection::Kind::Kconfig &&
                  qualifiers_of(source.btf(), variable.type_id).is_const;
  return (is_const ? "const " : "") + declare_writable(source, variable.type_id, name);
}

/// The members of a struct that mirrors the section.
std::vector<Member> make_variables(Source& source, const DataSection& data) {
  std::vector<Member> members;
  const BtfView& btf = source.btf();
  UniqueNames names;
  uint64_t end = 0;
  int paddings = 0;
  for (const Variable& variable : data.variables) {
    bool is_alias = variable.offset < end;
    if (is_alias || !is_shown(btf, variable) || source.is_too_long()) continue;
    if (variable.offset != natural_offset(source, end, variable.type_id))
      source.add(members, make_padding(names.make(fmt::format("__pad{}", paddings++)), end,
                                       variable.offset));
    std::string member = names.make(variable.name);
    uint64_t size = type_size(btf, variable.type_id).value_or(0);
    source.add(members, {member, declare_variable(source, data, variable, member), variable.offset,
                         size, variable.type_id});
    end = variable.offset + size;
  }
  return members;
}

/// Pointers to the variables that libbpf finds by name.
std::vector<Member> make_pointers(Source& source, const DataSection& data) {
  std::vector<Member> members;
  const BtfView& btf = source.btf();
  if (data.kind == DataSection::Kind::Arena) return members;
  UniqueNames names;
  for (const Variable& variable : data.variables) {
    if (variable.is_static || variable.is_hidden || variable.var_id == 0 || source.is_too_long())
      continue;
    std::string member = names.make(variable.name);
    uint32_t type = source.layouts().is_widened(variable.type_id)
                        ? skip_modifiers(btf, variable.type_id)
                        : skip_qualifiers(btf, variable.type_id);
    bool is_array = !source.layouts().is_natural(type) || btf.kind(type) == BtfKind::Array;
    std::string pointer = is_array ? "(*" + member + ")" : "*" + member;
    source.add(members, {member, declare_variable(source, data, variable, pointer), 0, 0,
                         variable.type_id, source.loader_name(variable.name)});
  }
  return members;
}

/// Sets a struct's members for both kinds of hosts.
template <class Struct, class Make>
void make_members(Source& source, Struct& record, Make&& make) {
  source.host = Host::Bits64;
  record.members = make();
  source.host = Host::Bits32;
  record.members_on_32_bits = make();
  if (std::ranges::equal(record.members, record.members_on_32_bits, {}, &Member::declaration,
                         &Member::declaration))
    record.members_on_32_bits.clear();
}

}  // namespace

bool points_to_function(const BtfView& btf, uint32_t type) {
  uint32_t target = btf.type(skip_modifiers(btf, type)).type();
  return btf.kind(skip_modifiers(btf, target)) == BtfKind::FuncProto;
}

namespace {

/// The declaration of a shadow's member: a program for a function, the member itself if its type is
/// known everywhere, or "" if it is omitted.
std::string declare_shadow(Source& source, uint32_t type, const std::string& name) {
  const BtfView& btf = source.btf();
  uint32_t id = skip_modifiers(btf, type);
  if (id == 0) return "";
  BtfType member = btf.type(id);
  BtfKind kind = member.kind();
  if (kind == BtfKind::Ptr)
    return (points_to_function(btf, id) ? "struct bpf_program *" : "void *") + name;
  if (kind == BtfKind::Array) {
    uint32_t element = skip_modifiers(btf, member.array_element_type());
    if (btf.kind(element) != BtfKind::Int) return "";
    std::string elements = fmt::format("{}[{}]", name, member.array_length());
    return source.layouts().is_widened(element) ? declare_widened(btf, element, elements)
                                                : print_c_declaration(btf, element, elements);
  }
  if (source.layouts().is_widened(id)) return declare_widened(btf, id, name);
  bool is_known_everywhere = kind == BtfKind::Int || kind == BtfKind::Float || is_enum(kind);
  return is_known_everywhere ? print_c_declaration(btf, id, name) : "";
}

std::vector<Member> make_shadow_members(Source& source, const StructOps& ops) {
  constexpr uint64_t pointer_size_on_32_bits = 4;
  std::vector<Member> members;
  const BtfView& btf = source.btf();
  BtfType type = btf.type(ops.type_id);
  UniqueNames names;
  uint64_t end = 0;
  int paddings = 0;
  auto pad_to = [&](uint64_t offset) {
    if (offset > end)
      source.add(members,
                 make_padding(names.make(fmt::format("__padding_{}", paddings++)), end, offset));
  };
  for (uint32_t i = 0; i < type.vlen(); ++i) {
    BtfMember member = type.member(i);
    uint64_t offset = type.member_bit_offset(i) / 8;
    uint64_t size = type_size(btf, member.type).value_or(0);
    bool is_plain = type.member_bitfield_size(i) == 0 && member.name_off != 0 && size > 0;
    if (!is_plain || offset < end || source.is_too_long() ||
        declare_shadow(source, member.type, "x").empty())
      continue;
    std::string member_name = names.make(btf.string(member.name_off));
    if (offset != natural_offset(source, end, member.type)) pad_to(offset);
    bool is_pointer = btf.kind(skip_modifiers(btf, member.type)) == BtfKind::Ptr;
    source.add(members, {.name = member_name,
                         .declaration = declare_shadow(source, member.type, member_name),
                         .offset = offset,
                         .size = size,
                         .type_id = member.type,
                         .is_pointer = is_pointer});
    end = offset + (is_pointer && source.host == Host::Bits32 ? pointer_size_on_32_bits : size);
  }
  pad_to(type.size());
  return members;
}

Shadow make_shadow(Source& source, const StructOps& ops, std::string name) {
  Shadow shadow{std::move(name), make_c_name(ops.type_name), {}};
  make_members(source, shadow, [&] { return make_shadow_members(source, ops); });
  return shadow;
}

/// Makes the members for a data section.
using MembersMaker = std::vector<Member> (*)(Source&, const DataSection&);

void add_data_section(Source& source, const DataSection& data, MembersMaker make,
                      UniqueNames& names, Skeleton& skeleton) {
  bool is_arena = data.kind == DataSection::Kind::Arena;
  std::string name = is_arena ? "arena" : names.make(data.name.substr(1));
  Section section{name, source.loader_name(data.name), data.size, {}};
  if (source.object.btf() && data.datasec_id != 0)
    make_members(source, section, [&] { return make(source, data); });
  bool is_visible = !section.members.empty();
  if (is_arena) {
    // The object defines the arena as a map; the variables are in the map's memory.
    for (MapEntry& map : skeleton.maps)
      if (map.section == "arena" && !is_visible) map.section = "";
  } else {
    skeleton.maps.push_back({name, section.loader_name, is_visible ? name : "", ""});
  }
  if (is_visible) skeleton.sections.push_back(std::move(section));
}

std::expected<Skeleton, Error> make_model(const Object& object, std::string name,
                                          MembersMaker make) {
  Skeleton skeleton;
  Source source(object);
  skeleton.name = std::move(name);
  skeleton.btf = object.btf();
  UniqueNames map_names, program_names;
  bool has_arena_data = std::ranges::any_of(object.data_sections(), [](const DataSection& section) {
    return section.kind == DataSection::Kind::Arena && section.size > 0;
  });
  for (const Map& map : object.maps()) {
    bool holds_arena = map.type == map_type_arena && has_arena_data;
    skeleton.maps.push_back({map_names.make(map.name), source.loader_name(map.name),
                             holds_arena ? "arena" : "", "", map.key_type_id, map.value_type_id});
  }
  for (const StructOps& ops : object.struct_ops()) {
    std::string ops_name = map_names.make(ops.name);
    skeleton.maps.push_back({.name = ops_name,
                             .loader_name = source.loader_name(ops.name),
                             .section = "",
                             .link = ops_name,
                             .autoload = ops.autoload});
    bool is_struct = ops.type_id != 0 && object.btf()->type(ops.type_id).kind() == BtfKind::Struct;
    if (is_struct) skeleton.shadows.push_back(make_shadow(source, ops, std::move(ops_name)));
  }
  for (const DataSection& data : object.data_sections())
    if (data.size > 0) add_data_section(source, data, make, map_names, skeleton);
  for (const Program& program : object.programs()) {
    std::string program_name = program_names.make(program.name);
    skeleton.programs.push_back({program_name, source.loader_name(program.name), program_name});
  }
  if (source.is_too_long())
    return fail("the names and types of its variables take more than {} GiB of text",
                max_text_size >> 30);
  return skeleton;
}

}  // namespace

std::expected<Skeleton, Error> make_skeleton(const Object& object, std::string name,
                                             std::span<const std::byte> image) {
  auto model = make_model(object, std::move(name), make_variables);
  if (!model) return model;
  Skeleton& skeleton = *model;
  skeleton.image = image;
  UniqueNames links;  // a struct_ops may have the name of a program
  for (ProgramEntry& program : skeleton.programs) program.link = links.make(program.link);
  for (MapEntry& map : skeleton.maps)
    if (!map.link.empty()) map.link = links.make(map.link);
  return model;
}

std::expected<Skeleton, Error> make_subskeleton(const Object& object, std::string name) {
  auto model = make_model(object, std::move(name), make_pointers);
  if (!model) return model;
  for (ProgramEntry& program : model->programs) program.link = "";
  for (MapEntry& map : model->maps) map.section = map.link = "";
  return model;
}

}  // namespace bpflink
