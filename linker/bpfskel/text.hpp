// Templates, and quoting of strings.
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

/// `text` in quotes, for C and Rust. Bytes other than printable ASCII, which no loader accepts in a
/// name, become '?'.
std::string quoted(std::string_view text);

/// `bytes` as escapes within a string of C or Rust, with `separator` between lines of `per_line`.
std::string hex_escapes(std::span<const std::byte> bytes, size_t per_line,
                        std::string_view separator);

}  // namespace bpflink
