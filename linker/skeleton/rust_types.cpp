#include "linker/skeleton/rust_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "bpflink/btf_query.hpp"
#include "dedup/print/c_types.hpp"
#include "linker/skeleton/text.hpp"

namespace bpflink {
namespace {

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

/// Names that the text itself uses, or that mean a type to its users.
constexpr std::string_view used_names[] = {
    "__place", "bool",  "char", "core", "f32", "f64", "i128", "i16", "i32",   "i64",
    "i8",      "isize", "str",  "u128", "u16", "u32", "u64",  "u8",  "usize", "_"};

bool is_used(const std::string& name) {
  return is_among(name, used_names);
}

/// A constant cannot have the name of a parameter.
bool is_used_for_value(const std::string& name) {
  return is_used(name) || name == "to" || name == "value";
}

/// A type of integers, or an array of them, with the size of the BPF type.
RustType integer_type(uint32_t size, bool is_signed) {
  if (is_enum_size(size)) return {fmt::format("{}{}", is_signed ? 'i' : 'u', 8 * size)};
  uint32_t word = size % 8 == 0 ? 8 : size % 4 == 0 ? 4 : 1;
  return integer_type(word, false).in_array(size / word);
}

const RustType program_pointer = {"*mut libbpf_rs::libbpf_sys::bpf_program",
                                  "core::ptr::null_mut()", false};

/// Types with more dimensions or pointers are an array of bytes, or a pointer to void.
constexpr size_t max_layers = 64;

/// Whether a type is a struct or union, or an array of them.
bool is_made_of_records(const BtfView& btf, uint32_t id) {
  return is_composite(btf.kind(skip_arrays(btf, id)));
}

/// Both steps are within the struct only if the field is at its offset.
constexpr std::string_view records_text = R"(
/// Does not compile unless the size and the offset of each field are the kernel's.
macro_rules! assert_layout {
    ($type:ident, $size:expr $(, $field:ident: $offset:expr)*) => {
        const _: () = assert!(core::mem::size_of::<$type>() == $size);
        const _: () = unsafe {
            $(let _ = core::ptr::addr_of!((*core::mem::MaybeUninit::<$type>::uninit().as_ptr()).$field)
                .cast::<u8>().sub($offset).add($size);)*
        };
    };
}
)";

/// `@` is the byte order of the types. Callers give only places within the record.
constexpr std::string_view functions_text = R"(
/// Members that Rust has no field for.
mod __place {
    #[inline(always)]
    pub fn get<R, T: Copy>(record: &R, offset: usize) -> T {
        unsafe { (record as *const R).cast::<u8>().add(offset).cast::<T>().read_unaligned() }
    }
    #[inline(always)]
    pub fn set<R, T: Copy>(record: &mut R, offset: usize, value: T) {
        unsafe { (record as *mut R).cast::<u8>().add(offset).cast::<T>().write_unaligned(value) }
    }
    /// `N` bytes as a number, of which bits are from bit `shift`.
    #[inline(always)]
    fn all<R, const N: usize>(record: &R, offset: usize) -> u128 {
        let mut bytes = [0; 16];
        unsafe { bytes.as_mut_ptr().cast::<[u8; N]>().write(get(record, offset)) };
        u128::from_@_bytes(bytes)
    }
    #[inline(always)]
    pub fn bits<R, const N: usize>(record: &R, offset: usize, shift: u32, width: u32) -> u64 {
        (all::<R, N>(record, offset) >> shift) as u64 & (u64::MAX >> (64 - width))
    }
    #[inline(always)]
    pub fn set_bits<R, const N: usize>(record: &mut R, offset: usize, shift: u32, width: u32, value: u64) {
        let mask = u128::from(u64::MAX >> (64 - width)) << shift;
        let changed = all::<R, N>(record, offset) & !mask | u128::from(value) << shift & mask;
        set(record, offset, unsafe { changed.to_@_bytes().as_ptr().cast::<[u8; N]>().read() });
    }
}
)";

constexpr std::string_view struct_default = R"(impl core::default::Default for $name {
    fn default() -> Self {
        Self {
$defaults        }
    }
}
)";

constexpr std::string_view zeroed_default = R"(impl core::default::Default for $name {
    fn default() -> Self {
        // SAFETY: every bit pattern is valid.
        unsafe { core::mem::zeroed() }
    }
}
)";

/// Which field of a union is used is not known.
constexpr std::string_view union_debug = R"(impl core::fmt::Debug for $name {
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
$constants}
impl core::default::Default for $name {
    fn default() -> Self {
        $first
    }
}
)";

/// Rust 2024 takes only `unsafe extern`, and Rust before 1.82 only `extern`: in the former, `_` is
/// an expression to a macro.
constexpr std::string_view kfuncs_text = R"(
macro_rules! kfuncs {
    ($edition:expr, $($item:tt)*) => { unsafe extern "C" { $($item)* } };
    (_, $($item:tt)*) => { extern "C" { $($item)* } };
}
kfuncs!(_,
$functions);
)";

/// Whether it stands beside other modules or is included, its lines of attributes are good.
constexpr std::string_view kernel_module =
    R"(// Types of a kernel, made by btfdedup; changes will be lost.
#[allow(clippy::all, dead_code, improper_ctypes, missing_docs, non_camel_case_types)]
#[allow(non_snake_case, non_upper_case_globals, unused_unsafe)]
mod kernel {$types}
pub use kernel::*;
)";

}  // namespace

std::string make_rust_name(std::string_view text) {
  std::string name = make_c_name(text);
  if (is_among(name, path_keywords)) return name + '_';
  return is_among(name, keywords) ? "r#" + name : name;
}

RustType RustType::in_array(uint64_t length) && {
  constexpr uint64_t longest = 32;  // of the arrays that have a default
  return {fmt::format("[{}; {}]", text, length), fmt::format("[{}; {}]", value, length),
          has_default && length <= longest};
}

RustTypes::RustTypes(const Btf* btf, RustUse use) : btf_(btf), use_(use) {
  if (use == RustUse::Kernel) pointer_size_ = pointer_size(*btf);
}

uint64_t RustTypes::size_of(uint32_t id) const {
  return type_size(*btf_, id, pointer_size_).value_or(0);
}

/// Many members may have one type: each is judged once.
uint32_t RustTypes::alignment_of(uint32_t id) {
  auto [known, is_new] = alignments_.try_emplace(id);
  if (is_new) known->second = type_alignment(*btf_, id).value_or(1);
  return known->second;
}

/// The name of a struct, union or enum, which will be defined; `preferred` names one without a tag.
std::string RustTypes::name_type(uint32_t id, std::string_view preferred) {
  auto found = named_.find(id);
  if (found != named_.end()) return found->second;
  BtfType type = btf_->type(id);
  std::string_view tag = btf_->name(type);
  std::string& name = named_[id];
  if (!tag.empty() && is_declaration(type))
    if (auto defined = by_key_.find(type_key(*btf_, type)); defined != by_key_.end())
      return name = defined->second;
  name = names_.next(make_rust_name(tag.empty() ? preferred : tag), is_used);
  open_.push_back(id);
  if (!tag.empty()) by_key_.emplace(type_key(*btf_, type), name);
  return name;
}

/// Of what is neither an array nor a pointer that is followed.
RustType RustTypes::element_type(uint32_t id, std::string_view preferred, bool is_pointee) {
  BtfKind kind = btf_->kind(id);
  bool is_opaque = kind == BtfKind::Fwd && use_ == RustUse::Kernel;
  if (is_composite(kind) || is_enum(kind) || is_opaque) return {name_type(id, preferred)};
  auto size = type_size(*btf_, id, pointer_size_);
  if (!size && is_pointee) return {"core::ffi::c_void"};
  auto bytes = static_cast<uint32_t>(size.value_or(0));
  if (kind == BtfKind::Float && (bytes == 4 || bytes == 8)) return {fmt::format("f{}", 8 * bytes)};
  bool is_signed = kind == BtfKind::Int && (btf_->type(id).int_encoding() & btf_int_signed) != 0;
  return integer_type(bytes, is_signed);
}

RustType RustTypes::type_of(uint32_t id, std::string_view preferred) {
  struct Layer {
    bool is_pointer = false;
    uint32_t length = 0;  ///< of an array
    bool is_to_constant = false;
  };
  std::vector<Layer> layers;
  bool follows = use_ == RustUse::Kernel && pointer_size_ == 8;
  // A typedef names a type without a tag.
  std::string name(preferred);
  while (id != 0) {
    BtfType type = btf_->type(id);
    BtfKind kind = type.kind();
    bool is_array = kind == BtfKind::Array, is_pointer = kind == BtfKind::Ptr && follows;
    if (kind == BtfKind::Typedef) name = btf_->name(type);
    if (kind == BtfKind::Const && !layers.empty()) layers.back().is_to_constant = true;
    if (!is_modifier(kind)) {
      if (!(is_array || is_pointer) || layers.size() == max_layers) break;
      layers.push_back({is_pointer, is_array ? type.array_length() : 0});
    }
    id = is_array ? type.array_element_type() : type.type();
  }
  RustType made = element_type(id, name, !layers.empty() && layers.back().is_pointer);
  for (const Layer& layer : layers | std::views::reverse) {
    if (layer.is_pointer)
      made = {fmt::format("*{} {}", layer.is_to_constant ? "const" : "mut", made.text), "", false};
    else
      made = std::move(made).in_array(layer.length);
  }
  return made;
}

void RustTypes::add(Record& record, const std::string& name, const RustType& type) {
  record.text += fmt::format("    pub {}: {},\n", name, type.text);
  record.defaults += fmt::format("            {}: {},\n", name, type.value);
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
  uint64_t size = size_of(type);
  uint32_t alignment = alignment_of(type);
  // Rust allows no aligned type inside a packed one, and no misaligned field.
  bool is_placed = offset % alignment == 0 && alignment <= record.alignment;
  bool is_in_packed = record.alignment == 1 && !is_made_of_records(*btf_, type);
  RustType made = is_program ? program_pointer : type_of(type, preferred);
  if (!is_placed && !is_in_packed) {
    add_placed(record, name, offset, made.text);
    made = RustType{"u8"}.in_array(size);
  }
  std::string field = record.names.next(make_rust_name(name), is_used);
  add(record, field, made);
  record.places += fmt::format(", {}: {}", field, offset);
  record.end = std::max(record.end, offset + size);
}

/// Adds functions that read and write a member.
void RustTypes::add_functions(Record& record, std::string_view name, std::string_view type,
                              std::string_view get, std::string_view set) {
  auto is_free = [](const std::string&) { return false; };
  record.functions += fmt::format(
      "    #[inline]\n    pub fn {}(&self) -> {} {{ {} }}\n"
      "    #[inline]\n    pub fn {}(&mut self, value: {}) {{ {} }}\n",
      record.function_names.next(make_rust_name(name), is_free), type, get,
      record.function_names.next("set_" + make_c_name(name), is_free), type, set);
  has_functions_ = true;
}

void RustTypes::add_placed(Record& record, std::string_view name, uint64_t offset,
                           std::string_view type) {
  record.functions += fmt::format("    /// At byte {}, where Rust allows no such field.\n", offset);
  add_functions(record, name, type, fmt::format("__place::get(self, {})", offset),
                fmt::format("__place::set(self, {}, value)", offset));
}

void RustTypes::add_bits(Record& record, std::string_view name, MemberBits bits, uint32_t type) {
  constexpr uint32_t most = 64;
  if (name.empty()) return;
  if (bits.width > most) {
    record.text += fmt::format("    // {}: {} bits from bit {}, for which Rust has no type\n",
                               make_c_name(name), bits.width, bits.offset);
    return;
  }
  uint32_t id = skip_modifiers(*btf_, type), size = static_cast<uint32_t>(size_of(id));
  bool is_signed = id != 0 && (is_enum(btf_->kind(id))
                                   ? btf_->type(id).kind_flag()
                                   : btf_->kind(id) == BtfKind::Int &&
                                         (btf_->type(id).int_encoding() & btf_int_signed) != 0);
  std::string integer = integer_type(is_enum_size(size) ? size : 8, is_signed).text;
  uint32_t first = bits.offset % 8, unused = most - bits.width;
  bool is_little = btf_->byte_order() == std::endian::little;
  std::string place =
      fmt::format("::<_, {}>(self, {}, {}, {}", (first + bits.width + 7) / 8, bits.offset / 8,
                  is_little ? first : 128 - first - bits.width, bits.width);
  std::string get = fmt::format("__place::bits{})", place);
  if (is_signed) get = fmt::format("(({} << {}) as i64 >> {})", get, unused, unused);
  add_functions(record, name, integer, fmt::format("{} as {}", get, integer),
                fmt::format("__place::set_bits{}, value as u64)", place));
}

/// Adds the text of a struct or union with the collected fields, padded to its size.
void RustTypes::finish(const Record& record, std::string_view keyword, const std::string& name,
                       uint64_t size) {
  bool is_union = keyword == "union";
  bool is_zeroed = is_union || (use_ == RustUse::Kernel && !record.has_default);
  std::string layout =
      record.alignment == 1 ? "packed" : fmt::format("align({})", record.alignment);
  text_ += fmt::format(
      "\n#[repr(C, {})]\n#[derive(Clone, Copy{})]\npub {} {} {{\n{}}}\nassert_layout!({}, {}{});\n",
      layout,
      is_union             ? ""
      : record.has_default ? ", Debug, Default"
                           : ", Debug",
      keyword, name, record.text, name, size, record.places);
  has_records_ = true;
  if (is_zeroed || !record.has_default)
    text_ += fill_in(is_zeroed ? zeroed_default : struct_default,
                     {{"name", name}, {"defaults", record.defaults}});
  if (is_union) text_ += fill_in(union_debug, {{"name", name}});
  if (!record.functions.empty()) text_ += fmt::format("impl {} {{\n{}}}\n", name, record.functions);
}

std::string RustTypes::define_struct(std::string_view preferred, std::span<const RustField> fields,
                                     uint64_t size, std::string_view comment) {
  std::string name = names_.next(make_rust_name(preferred), is_used);
  Record record;
  for (const RustField& field : fields)
    record.alignment = std::max(record.alignment, alignment_of(field.type_id));
  for (const RustField& field : fields) {
    add_padding(record, field.offset);
    add_field(record, field.name, field.offset, field.type_id,
              fmt::format("{}_{}", name, field.name), field.is_program);
  }
  size = std::max(size, align_up(record.end, record.alignment));
  add_padding(record, size);
  if (!comment.empty()) text_ += fmt::format("\n/// {}", comment);
  finish(record, "struct", name, size);
  return name;
}

void RustTypes::define_record(uint32_t id) {
  BtfType type = btf_->type(id);
  bool is_union = type.kind() == BtfKind::Union;
  const std::string name = named_.at(id);
  Record record;
  record.alignment = alignment_of(id);
  for (uint32_t i = 0; i < type.vlen(); ++i) {
    BtfMember member = type.member(i);
    MemberBits bits = member_bits(*btf_, type, i);
    std::string field(btf_->string(member.name_off));
    uint64_t end = bits.offset + (bits.width != 0 ? bits.width : 8 * size_of(member.type));
    if (end > 8 * uint64_t{type.size()}) continue;
    if (bits.width != 0 || bits.offset % 8 != 0) {
      add_bits(record, field, bits, member.type);
      continue;
    }
    uint64_t offset = bits.offset / 8;
    if (field.empty()) field = fmt::format("anon_{}", i);
    std::string preferred = fmt::format("{}_{}", name, field);
    bool is_apart = is_union ? offset == 0 : offset >= record.end;
    if (is_apart && !is_union) add_padding(record, offset);
    if (is_apart)
      add_field(record, field, offset, member.type, preferred);
    else
      add_placed(record, field, offset, type_of(member.type, preferred).text);
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
    constants +=
        fmt::format("    pub const {}: Self = Self({});\n", constant, enumerator_value(type, i));
    if (i == 0) first = "Self::" + constant;
  }
  text_ += fill_in(enum_struct, {{"name", name},
                                 {"integer", integer_type(type.size(), type.kind_flag()).text},
                                 {"constants", constants},
                                 {"first", first}});
}

/// One without a name has constants alone.
void RustTypes::define_enum(uint32_t id) {
  if (use_ == RustUse::LibbpfRs) return define_enum_struct(id);
  BtfType type = btf_->type(id);
  std::string name = integer_type(type.size(), type.kind_flag()).text;
  text_ += '\n';
  if (auto named = named_.find(id); named != named_.end()) {
    text_ += fmt::format("pub type {} = {};\n", named->second, name);
    name = named->second;
  }
  for (uint32_t i = 0; i < type.vlen(); ++i) {
    std::string constant = make_rust_name(btf_->string(type.enumerator(i).name_off));
    text_ += fmt::format("pub const {}: {} = {};\n", enumerators_.next(constant, is_used_for_value),
                         name, enumerator_value(type, i));
  }
}

void RustTypes::define(uint32_t id) {
  BtfKind kind = btf_->kind(id);
  if (kind == BtfKind::Fwd)
    finish({}, "struct", named_.at(id), 0);
  else
    is_enum(kind) ? define_enum(id) : define_record(id);
}

/// A typedef, unless its type has that name.
void RustTypes::define_alias(uint32_t id) {
  BtfType type = btf_->type(id);
  std::string name = make_rust_name(btf_->name(type));
  std::string target = type_of(type.type(), btf_->name(type)).text;
  bool has_value = type_size(*btf_, id) || btf_->kind(skip_modifiers(*btf_, id)) == BtfKind::Fwd;
  if (target != name && has_value && !is_used(name))
    text_ += fmt::format("{}pub type {} = {};\n", text_.empty() ? "\n" : "",
                         names_.next(name, is_used), target);
}

void RustTypes::define_functions() {
  std::string functions;
  RepeatedNames names;
  for (uint32_t tag = 1; tag < btf_->end_id(); ++tag) {
    BtfType type = btf_->type(tag);
    if (type.kind() != BtfKind::DeclTag || btf_->name(type) != "bpf_kfunc") continue;
    BtfType function = btf_->type(type.type());
    if (function.kind() != BtfKind::Func || type.component_idx() != -1) continue;
    BtfType proto = btf_->type(function.type());
    std::string parameters;
    for (uint32_t i = 0; i < proto.vlen(); ++i)
      parameters += proto.param(i).type == 0
                        ? "..."
                        : fmt::format("_: {}, ", type_of(proto.param(i).type, "").text);
    functions +=
        fmt::format("    pub fn {}({}){};\n", make_rust_name(btf_->name(function)), parameters,
                    proto.type() == 0 ? "" : " -> " + type_of(proto.type(), "").text);
  }
  if (!functions.empty()) text_ += fill_in(kfuncs_text, {{"functions", functions}});
}

void RustTypes::use_all(const PrintedChoice& choice) {
  std::vector<uint32_t> ids;
  for (uint32_t id = 1; id < btf_->end_id(); ++id) {
    BtfType type = btf_->type(id);
    BtfKind kind = type.kind();
    bool is_named = !btf_->name(type).empty();
    bool is_root = is_enum(kind) || (is_named && (is_composite(kind) || kind == BtfKind::Typedef));
    if (kind == BtfKind::Fwd)
      is_root = !choice.is_part || choice.declared.contains(type_key(*btf_, type));
    if (is_root) ids.push_back(id);
  }
  ids = order_by_contents(*btf_, std::move(ids));
  for (uint32_t id : ids)
    if (btf_->kind(id) != BtfKind::Typedef && !btf_->name(btf_->type(id)).empty())
      name_type(id, "");
  for (uint32_t id : ids)
    if (btf_->kind(id) == BtfKind::Typedef) define_alias(id);
  define_functions();
  define_open();
  for (uint32_t id : ids)
    if (is_enum(btf_->kind(id)) && !named_.contains(id)) define_enum(id);
}

void RustTypes::define_open() {
  for (; !open_.empty(); open_.pop_front()) define(open_.front());
}

std::string RustTypes::finish_text(size_t indent) {
  define_open();
  std::string text(has_records_ ? records_text : ""), result;
  for (char c : has_functions_ ? functions_text : "")
    text += c != '@' ? std::string(1, c) : btf_->byte_order() == std::endian::big ? "be" : "le";
  text += text_;
  for (size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (text[i] == '\n' && i + 1 < text.size() && text[i + 1] != '\n') result.append(indent, ' ');
  }
  return result;
}

std::string print_rust_module(const Btf& btf, const PrintedChoice& choice) {
  RustTypes types(&btf, RustUse::Kernel);
  types.use_all(choice);
  return fill_in(kernel_module, {{"types", types.finish_text(4)}});
}

}  // namespace bpflink
