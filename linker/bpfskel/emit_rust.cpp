// The module for Rust.
#include "linker/bpfskel/emit.hpp"
#include "linker/bpfskel/rust_types.hpp"
#include "linker/bpfskel/text.hpp"
#include "linker/error.hpp"

namespace bpflink {

namespace {

constexpr std::string_view module_text =
    R"(// Made by bpfskel from a BPF object; changes will be lost.

/// A BPF object: its bytes, the names of its maps and programs, and its variables.
#[allow(dead_code, non_camel_case_types, non_snake_case, non_upper_case_globals)]
pub mod $name {
    /// The object, which is ELF.
    pub static ELF_BYTES: &[u8] = &ALIGNED.0;

    #[repr(C, align(8))]
    struct Aligned([u8; $size]);
    static ALIGNED: Aligned = Aligned(*b"\
$image");

    /// The names by which loaders find maps.
    pub mod maps {
$maps    }

    /// The names by which loaders find programs.
    pub mod progs {
$programs    }
$types}
)";

/// The bytes as the contents of a byte string over several lines.
std::string byte_string(std::span<const std::byte> bytes) {
  constexpr size_t bytes_per_line = 20;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0 && i % bytes_per_line == 0) text += "\\\n";
    auto byte = static_cast<unsigned char>(bytes[i]);
    text += "\\x";
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
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
        quoted(entry.loader_name));
  return text;
}

}  // namespace

std::string emit_rust(const Skeleton& skeleton) {
  RustTypes types(skeleton.btf);
  for (const Section& section : skeleton.sections) types.define_section(section);
  return fill_in(module_text, {{"name", make_rust_name(skeleton.name)},
                               {"size", std::to_string(skeleton.image.size())},
                               {"image", byte_string(skeleton.image)},
                               {"maps", name_constants(skeleton.maps)},
                               {"programs", name_constants(skeleton.programs)},
                               {"types", types.finish_text()}});
}

}  // namespace bpflink
