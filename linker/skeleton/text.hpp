// Templates, quoting of strings, and names of BPF objects that C++ or newer C reserves.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bpflink {

/// Replaces each "$key" in the text by its value. Keys consist of letters; unknown ones stay.
std::string fill_in(std::string_view text,
                    const std::vector<std::pair<std::string_view, std::string>>& values);

/// `text` as a string of Rust (quoted_in_c() is the one for C). Bytes other than printable ASCII,
/// which no loader accepts in a name, become '_'.
std::string quoted_in_rust(std::string_view text);

/// A run of an object's bytes: some, then many zeros, for which texts need no letters.
struct ImageRun {
  std::span<const std::byte> bytes;
  size_t zeros = 0;  ///< 0 in the last run, unless the object ends with zeros
};

/// An object's bytes in runs.
std::vector<ImageRun> split_image(std::span<const std::byte> image);

/// `bytes` within a string of C, as short as possible, in lines. No digit continues an escape, and
/// there are no trigraphs.
std::string c_escapes(std::span<const std::byte> bytes);

/// `bytes` within a byte string of Rust, as short as possible, in lines.
std::string rust_escapes(std::span<const std::byte> bytes);

bool is_among(std::string_view name, std::span<const std::string_view> names);

/// Whether C23 or compilers for C reserve a name that C11 does not: `nullptr`, `linux`.
bool is_reserved_in_c(std::string_view name);

/// How a header for C and C++ spells a name: `MACRO(new)` if only C++ reserves it.
std::string spell_for_cpp(std::string_view name, std::string_view macro);

/// The text of a header with all names spelled so, for which C++ has `new_`. Those reserved in C
/// get the `_` in both languages. `_Bool` becomes `bool`. Strings, comments and lines of the
/// preprocessor stay, but "$names" becomes the definition of `macro`, if it is used.
std::string avoid_reserved_names(std::string_view text, std::string_view macro);

}  // namespace bpflink
