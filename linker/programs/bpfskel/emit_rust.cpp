// The module for Rust: the object's bytes, the names of its maps and programs, and types.
//
// Every bit pattern of an object's bytes must be a valid value of the Rust type. So bool is u8, an
// enum is an integer with constants (with libbpf-rs, as libbpf-cargo's, a struct of an integer),
// and a pointer, which is the kernel's, is u64. All padding is explicit, and each struct has its
// alignment in BPF: nothing is left to the compiler. Bit-fields become padding. Names are those of
// libbpf-cargo's skeletons: `maps`, `progs`, `types`, `__pad_N`.
#include <algorithm>
#include <deque>
#include <ranges>
#include <unordered_map>

#include "bpflink/btf_query.hpp"
#include "dedup/internal.hpp"
#include "linker/error.hpp"
#include "linker/programs/bpfskel/emit.hpp"
#include "linker/programs/bpfskel/text.hpp"

namespace bpflink {
namespace {

constexpr std::string_view module_text =
    R"(// Made by bpfskel from a BPF object; changes will be lost.

/// A BPF object: its bytes, the names of its maps and programs, and its types.
#[allow(dead_code, missing_docs, non_camel_case_types, non_snake_case, non_upper_case_globals)]
pub mod $name {
    /// The object, which is ELF.
    pub static ELF_BYTES: &[u8] = &ALIGNED.0;

    #[repr(C, align(8))]
    struct Aligned([u8; $size]);
$begin    static ALIGNED: Aligned = Aligned($image);$end

    /// The names by which loaders find maps.
    pub mod maps {
$maps    }

    /// The names by which loaders find programs.
    pub mod progs {
$programs    }

    /// The types of variables, and of keys and values of maps.
    pub mod types {$types    }
$loader}
)";

/// In the section of libbpf-cargo's objects. Rust 2024 takes only `unsafe(link_section)`, and Rust
/// before 1.82 only `link_section`: in the former, `_` is an expression to a macro.
constexpr std::string_view section_text = R"(    macro_rules! in_section {
        ($edition:expr, $item:item) => { #[unsafe(link_section = ".bpf.objs")] $item };
        (_, $item:item) => { #[link_section = ".bpf.objs"] $item };
    }
    in_section!(_,
)";

/// Keywords that cannot be raw identifiers.
constexpr std::string_view path_keywords[] = {"Self", "crate", "self", "super"};

/// Keywords, including reserved ones.
constexpr std::string_view keywords[] = {
    "Self",     "abstract", "as",     "async",   "await",    "become", "box",    "break", "const",
    "continue", "crate",    "do",     "dyn",     "else",     "enum",   "extern", "false", "final",
    "fn",       "for",      "gen",    "if",      "impl",     "in",     "let",    "loop",  "macro",
    "match",    "mod",      "move",   "mut",     "override", "priv",   "pub",    "ref",   "return",
    "self",     "static",   "struct", "super",   "trait",    "true",   "try",    "type",  "typeof",
    "unsafe",   "unsized",  "use",    "virtual", "where",    "while",  "yield"};

/// Names that the module `types` itself uses.
constexpr std::string_view used_names[] = {"core", "f32", "f64", "i16", "i32", "i64",
                                           "i8",   "u16", "u32", "u64", "u8",  "_"};

bool is_used(const std::string& name) {
  return is_among(name, used_names);
}

/// A type, and the expression of its default value.
struct RustType {
  std::string text;
  std::string value = "core::default::Default::default()";
  bool has_default = true;  ///< Rust can derive it

  RustType in_array(uint64_t length) && {
    constexpr uint64_t longest = 32;  // of the arrays that have a default
    return {fmt::format("[{}; {}]", text, length), fmt::format("[{}; {}]", value, length),
            has_default && length <= longest};
  }
};

/// An integer, or an array of them, with the size and alignment of the BPF type.
RustType integer_type(uint32_t size, bool is_signed) {
  if (size == 1 || size == 2 || size == 4 || size == 8)
    return {fmt::format("{}{}", is_signed ? 'i' : 'u', 8 * size)};
  uint32_t word = size % 8 == 0 ? 8 : size % 4 == 0 ? 4 : 1;
  return integer_type(word, false).in_array(size / word);
}

const RustType program_pointer = {"*mut libbpf_rs::libbpf_sys::bpf_program",
                                  "core::ptr::null_mut()", false};

/// Arrays of arrays with more dimensions are an array of bytes.
constexpr size_t max_dimensions = 64;

/// Whether a type is a struct or union, or an array of them.
bool is_made_of_records(const BtfView& btf, uint32_t id) {
  return is_composite(btf.kind(skip_arrays(btf, id)));
}

}  // namespace

std::string make_rust_name(std::string_view text) {
  std::string name = make_c_name(text);
  if (is_among(name, path_keywords)) return name + '_';
  return is_among(name, keywords) ? "r#" + name : name;
}

namespace {

constexpr std::string_view struct_traits = R"(        impl core::default::Default for $name {
            fn default() -> Self {
                Self {
$defaults                }
            }
        }
)";

/// Which field of a union is used is not known.
constexpr std::string_view union_traits = R"(        impl core::default::Default for $name {
            fn default() -> Self {
                // SAFETY: every bit pattern is valid.
                unsafe { core::mem::zeroed() }
            }
        }
        impl core::fmt::Debug for $name {
            fn fmt(&self, to: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                to.write_str("union { .. }")
}
}
)";

constexpr std::string_view enum_struct = R"(
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name(pub $integer);
        impl $name {
$constants        }
        impl core::default::Default for $name {
            fn default() -> Self {
                $first
            }
        }
)";

class RustTypes {
 public:
  /// `btf` is null for an object without types: then there is nothing to define.
  RustTypes(const Btf* btf, bool for_libbpf_rs) : btf_(btf), for_libbpf_rs_(for_libbpf_rs) {}

  /// Defines the struct of a data section, and returns its name.
  std::string define_section(const Section& section);

  /// Defines the struct of a struct_ops variable, in which functions are programs of libbpf.
  std::string define_shadow(const Shadow& shadow);

  /// Defines the type of a map's keys or values later; `name` is for one without a tag.
  void use_type(uint32_t id, const std::string& name) {
    if (id != 0) type_of(id, name);
  }

  /// Defines the types that are used, and returns the whole text. Call it once, at the end.
  std::string finish_text();

 private:
  /// The state while the fields of a struct or union are added.
  struct Record {
    std::string text;
    std::string defaults;     ///< the value of each field
    bool has_default = true;  ///< Rust can derive it
    RepeatedNames names;
    uint64_t end = 0;        ///< bytes so far
    uint32_t alignment = 1;  ///< bytes; 1 is packed
  };

  std::string name_type(uint32_t id, std::string_view preferred);
  RustType type_of(uint32_t id, std::string_view preferred);
  RustType element_type(uint32_t id, std::string_view preferred);
  static void add(Record& record, const std::string& name, const RustType& type);
  void add_padding(Record& record, uint64_t offset);
  void add_field(Record& record, std::string_view name, uint64_t offset, uint32_t type,
                 std::string_view preferred, bool is_program = false);
  std::string define_struct(const std::string& preferred, const std::vector<Member>& members,
                            uint64_t size);
  void define_record(uint32_t id);
  void define_enum(uint32_t id);
  void define_enum_struct(uint32_t id);
  void finish(const Record& record, std::string_view keyword, const std::string& name,
              uint64_t size);

  const Btf* btf_;
  bool for_libbpf_rs_;
  RepeatedNames names_;  ///< of types
  RepeatedNames enumerators_;
  std::unordered_map<uint32_t, std::string> named_;  ///< the names of types, by id
  std::deque<uint32_t> open_;                        ///< named types that are not defined yet
  std::string text_;
};

/// The name of a struct, union or enum, which will be defined; `preferred` names one without a tag.
std::string RustTypes::name_type(uint32_t id, std::string_view preferred) {
  auto found = named_.find(id);
  if (found != named_.end()) return found->second;
  std::string_view tag = btf_->name(btf_->type(id));
  std::string name = names_.next(make_rust_name(tag.empty() ? preferred : tag), is_used);
  open_.push_back(id);
  return named_.emplace(id, std::move(name)).first->second;
}

/// Of what is not an array.
RustType RustTypes::element_type(uint32_t id, std::string_view preferred) {
  if (id == 0) return RustType{"u8"}.in_array(0);
  BtfType type = btf_->type(id);
  if (is_composite(type.kind()) || is_enum(type.kind())) return {name_type(id, preferred)};
  if (type.kind() == BtfKind::Ptr) return {"u64"};
  uint32_t size = static_cast<uint32_t>(type_size(*btf_, id).value_or(0));
  if (type.kind() == BtfKind::Float && (size == 4 || size == 8))
    return {fmt::format("f{}", 8 * size)};
  bool is_signed = type.kind() == BtfKind::Int && (type.int_encoding() & btf_int_signed) != 0;
  return integer_type(size, is_signed);
}

RustType RustTypes::type_of(uint32_t id, std::string_view preferred) {
  std::vector<uint32_t> lengths;
  // A typedef names a type without a tag.
  std::string name(preferred);
  for (;;) {
    id = skip_qualifiers(*btf_, id);
    if (id == 0) break;
    BtfType type = btf_->type(id);
    if (type.kind() == BtfKind::Typedef) {
      name = btf_->name(type);
      id = type.type();
    } else if (type.kind() == BtfKind::Array && lengths.size() < max_dimensions) {
      lengths.push_back(type.array_length());
      id = type.array_element_type();
    } else {
      break;
    }
  }
  RustType made = element_type(id, name);
  for (uint32_t length : lengths | std::views::reverse) made = std::move(made).in_array(length);
  return made;
}

void RustTypes::add(Record& record, const std::string& name, const RustType& type) {
  record.text += fmt::format("            pub {}: {},\n", name, type.text);
  record.defaults += fmt::format("                    {}: {},\n", name, type.value);
  record.has_default &= type.has_default;
}

void RustTypes::add_padding(Record& record, uint64_t offset) {
  if (offset <= record.end) return;
  std::string name = record.names.next(fmt::format("__pad_{}", record.end), is_used);
  add(record, name, RustType{"u8"}.in_array(offset - record.end));
  record.end = offset;
}

void RustTypes::add_field(Record& record, std::string_view name, uint64_t offset, uint32_t type,
                          std::string_view preferred, bool is_program) {
  uint64_t size = type_size(*btf_, type).value_or(0);
  uint32_t alignment = type_alignment(*btf_, type).value_or(1);
  // Rust allows no aligned type inside a packed one, and no misaligned field.
  bool is_placed = offset % alignment == 0 && alignment <= record.alignment;
  bool is_in_packed = record.alignment == 1 && !is_made_of_records(*btf_, type);
  RustType made = is_program                  ? program_pointer
                  : is_placed || is_in_packed ? type_of(type, preferred)
                                              : RustType{"u8"}.in_array(size);
  add(record, record.names.next(make_rust_name(name), is_used), made);
  record.end = std::max(record.end, offset + size);
}

/// Adds the text of a struct or union with the collected fields, padded to its size.
void RustTypes::finish(const Record& record, std::string_view keyword, const std::string& name,
                       uint64_t size) {
  bool is_union = keyword == "union";
  std::string layout =
      record.alignment == 1 ? "packed" : fmt::format("align({})", record.alignment);
  text_ += fmt::format(
      R"(
        #[repr(C, {})]
        #[derive(Clone, Copy{})]
        pub {} {} {{
{}        }}
        const _: () = assert!(core::mem::size_of::<{}>() == {});
)",
      layout,
      is_union             ? ""
      : record.has_default ? ", Debug, Default"
                           : ", Debug",
      keyword, name, record.text, name, size);
  if (is_union || !record.has_default)
    text_ += fill_in(is_union ? union_traits : struct_traits,
                     {{"name", name}, {"defaults", record.defaults}});
}

/// Adds the text of a struct with these members and at least that size, and returns its name.
std::string RustTypes::define_struct(const std::string& preferred,
                                     const std::vector<Member>& members, uint64_t size) {
  std::string name = names_.next(make_rust_name(preferred), is_used);
  Record record;
  for (const Member& member : members)
    if (member.type_id != 0)
      record.alignment =
          std::max(record.alignment, type_alignment(*btf_, member.type_id).value_or(1));
  for (const Member& member : members) {
    if (member.type_id == 0) continue;
    add_padding(record, member.offset);
    add_field(record, member.name, member.offset, member.type_id,
              fmt::format("{}_{}", name, member.name),
              member.is_pointer && points_to_function(*btf_, member.type_id));
  }
  size = std::max(size, align_up(record.end, record.alignment));
  add_padding(record, size);
  finish(record, "struct", name, size);
  return name;
}

std::string RustTypes::define_section(const Section& section) {
  text_ += fmt::format("\n        /// The variables of {}.", quoted_in_rust(section.loader_name));
  return define_struct(section.name, section.members, 0);
}

std::string RustTypes::define_shadow(const Shadow& shadow) {
  const Member& last = shadow.members.back();
  return define_struct(shadow.type, shadow.members, last.offset + last.size);
}

void RustTypes::define_record(uint32_t id) {
  BtfType type = btf_->type(id);
  bool is_union = type.kind() == BtfKind::Union;
  const std::string name = named_.at(id);
  Record record;
  record.alignment = type_alignment(*btf_, id).value_or(1);
  for (uint32_t i = 0; i < type.vlen(); ++i) {
    BtfMember member = type.member(i);
    uint64_t offset = type.member_bit_offset(i) / 8;
    bool is_apart = offset >= record.end || is_union;
    if (type.member_bitfield_size(i) != 0 || !is_apart || (is_union && offset != 0)) continue;
    if (!is_union) add_padding(record, offset);
    std::string field(btf_->string(member.name_off));
    if (field.empty()) field = fmt::format("anon_{}", i);
    add_field(record, field, offset, member.type, fmt::format("{}_{}", name, field));
  }
  if (is_union) record.end = 0;  // all of its bytes are one more field
  add_padding(record, type.size());
  // Rust has no union without fields.
  finish(record, is_union && !record.text.empty() ? "union" : "struct", name, type.size());
}

/// A struct with an integer, in which each enumerator is a constant. Its default is the first.
void RustTypes::define_enum_struct(uint32_t id) {
  BtfType type = btf_->type(id);
  const std::string& name = named_.at(id);
  std::string constants, first = "Self(0)";
  RepeatedNames names;
  for (uint32_t i = 0; i < type.vlen(); ++i) {
    std::string constant =
        names.next(make_rust_name(btf_->string(type.enumerator(i).name_off)), is_used);
    constants += fmt::format("            pub const {}: Self = Self({});\n", constant,
                             enumerator_value(type, i));
    if (i == 0) first = "Self::" + constant;
  }
  text_ += fill_in(enum_struct, {{"name", name},
                                 {"integer", integer_type(type.size(), type.kind_flag()).text},
                                 {"constants", constants},
                                 {"first", first}});
}

void RustTypes::define_enum(uint32_t id) {
  if (for_libbpf_rs_) return define_enum_struct(id);
  BtfType type = btf_->type(id);
  const std::string& name = named_.at(id);
  text_ += fmt::format("\n        pub type {} = {};\n", name,
                       integer_type(type.size(), type.kind_flag()).text);
  for (uint32_t i = 0; i < type.vlen(); ++i) {
    uint32_t text = type.enumerator(i).name_off;
    text_ += fmt::format("        pub const {}: {} = {};\n",
                         enumerators_.next(make_rust_name(btf_->string(text)), is_used), name,
                         enumerator_value(type, i));
  }
}

std::string RustTypes::finish_text() {
  while (!open_.empty()) {
    uint32_t id = open_.front();
    open_.pop_front();
    if (is_enum(btf_->type(id).kind()))
      define_enum(id);
    else
      define_record(id);
  }
  return std::move(text_);
}

/// A constant for each map or program.
template <typename Entries>
std::string name_constants(const Entries& entries) {
  std::string text;
  RepeatedNames names;
  for (const auto& entry : entries)
    text += fmt::format(
        "        pub const {}: &str = {};\n",
        names.next(make_rust_name(entry.name), [](const std::string& name) { return name == "_"; }),
        quoted_in_rust(entry.loader_name));
  return text;
}

/// An array of the object's bytes: a string if there are not many zeros.
std::string image_expression(std::span<const std::byte> image) {
  std::string types, values;
  for (const ImageRun& run : split_image(image)) {
    values += fmt::format("{}*b\"\\\n{}\"", values.empty() ? "" : ", ", rust_escapes(run.bytes));
    types += fmt::format("[u8; {}], ", run.bytes.size());
    if (run.bytes.size() == image.size()) return values;
    if (run.zeros == 0) continue;
    values += fmt::format(", [0; {}]", run.zeros);
    types += fmt::format("[u8; {}], ", run.zeros);
  }
  return fill_in(R"({
        #[repr(C)]
        struct Runs($types);
        // SAFETY: both are as many bytes.
        unsafe { core::mem::transmute::<Runs, [u8; $size]>(Runs($values)) }
    })",
                 {{"types", types}, {"values", values}, {"size", std::to_string(image.size())}});
}

}  // namespace

std::string emit_rust(const Skeleton& skeleton, bool for_libbpf_rs) {
  RustTypes types(skeleton.btf, for_libbpf_rs);
  RustTypeNames names;
  for (const Section& section : skeleton.sections)
    names.sections.push_back(types.define_section(section));
  if (for_libbpf_rs)
    for (const Shadow& shadow : skeleton.shadows)
      names.shadows.push_back(types.define_shadow(shadow));
  for (const MapEntry& map : skeleton.maps) {
    types.use_type(map.key_type_id, map.name + "_key");
    types.use_type(map.value_type_id, map.name + "_value");
  }
  return fill_in(module_text, {{"name", make_rust_name(skeleton.name)},
                               {"size", std::to_string(skeleton.image.size())},
                               {"image", image_expression(skeleton.image)},
                               {"begin", std::string(for_libbpf_rs ? section_text : "")},
                               {"end", for_libbpf_rs ? ");" : ""},
                               {"maps", name_constants(skeleton.maps)},
                               {"programs", name_constants(skeleton.programs)},
                               {"types", types.finish_text()},
                               {"loader", for_libbpf_rs ? libbpf_rs_text(skeleton, names) : ""}});
}

}  // namespace bpflink
