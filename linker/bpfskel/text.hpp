// Templates, and quoting of strings.
#pragma once

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

/// `bytes` as a C string literal over several lines.
std::string string_literal(std::string_view bytes);

}  // namespace bpflink
