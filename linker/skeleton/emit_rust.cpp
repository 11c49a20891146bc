// The module for Rust: the object's bytes, the names of its maps and programs, and types. Names are
// those of libbpf-cargo's skeletons: `maps`, `progs`, `types`, `__pad_N`.
#include "dedup/for_linker.hpp"
#include "linker/error.hpp"
#include "linker/skeleton/emit.hpp"
#include "linker/skeleton/rust_types.hpp"
#include "linker/skeleton/text.hpp"

namespace bpflink {
namespace {

constexpr std::string_view module_text =
    R"(// Made by bpfskel from a BPF object; changes will be lost.

/// A BPF object: its bytes, the names of its maps and programs, and its types.
#[allow(dead_code, missing_docs, non_camel_case_types, non_snake_case, non_upper_case_globals)]
#[allow(unused_unsafe)]
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

/// Defines the struct of a data section, or of a struct_ops variable, in which functions are
/// programs of libbpf.
std::string define_members(RustTypes& types, const Btf* btf, std::string_view name,
                           const std::vector<Member>& members, uint64_t size,
                           std::string_view comment) {
  std::vector<RustField> fields;
  for (const Member& member : members)
    if (member.type_id != 0)
      fields.push_back({member.name, member.offset, member.type_id,
                        member.is_pointer && points_to_function(*btf, member.type_id)});
  return types.define_struct(name, fields, size, comment);
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
  RustTypes types(skeleton.btf, for_libbpf_rs ? RustUse::LibbpfRs : RustUse::Skeleton);
  RustTypeNames names;
  for (const Section& section : skeleton.sections)
    names.sections.push_back(
        define_members(types, skeleton.btf, section.name, section.members, 0,
                       fmt::format("The variables of {}.", quoted_in_rust(section.loader_name))));
  if (for_libbpf_rs)
    for (const Shadow& shadow : skeleton.shadows) {
      const Member& last = shadow.members.back();
      names.shadows.push_back(define_members(types, skeleton.btf, shadow.type, shadow.members,
                                             last.offset + last.size, ""));
    }
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
                               {"types", types.finish_text(8)},
                               {"loader", for_libbpf_rs ? libbpf_rs_text(skeleton, names) : ""}});
}

}  // namespace bpflink
