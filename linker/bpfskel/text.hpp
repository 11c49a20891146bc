// Text with places to fill in.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bpflink {

/// Replaces each "$key" of the text by its value. Keys are of letters; one that
/// is not among the values stays.
std::string fill_in(std::string_view text,
                    const std::vector<std::pair<std::string_view, std::string>>& values);

/// `text` in quotes, for C and Rust. What is not printable ASCII, which no loader
/// takes as a name, becomes '?'.
std::string quoted(std::string_view text);

/// `bytes` as the inside of a C string literal over several lines.
std::string string_literal(std::string_view bytes);

}  // namespace bpflink
