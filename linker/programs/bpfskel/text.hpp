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

/// `bytes` within a string of C, as short as possible, in lines. No digit continues an escape, and
/// there are no trigraphs.
std::string c_escapes(std::span<const std::byte> bytes);

/// `bytes` within a byte string of Rust, as short as possible, in lines.
std::string rust_escapes(std::span<const std::byte> bytes);

}  // namespace bpflink
