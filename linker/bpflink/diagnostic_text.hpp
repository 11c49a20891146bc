// A diagnostic as text for people.
#pragma once

#include <string>
#include <string_view>

#include "bpflink/diagnostic.hpp"

namespace bpflink {

/// The message, after its first place in the source where that is known, and that line with a mark
/// at the column, as compilers show them; then the details. Each line ends with a line break.
/// `program` stands for the place where there is none; `color` puts ANSI escapes in.
std::string make_text(const Diagnostic& diagnostic, std::string_view program, bool color);

}  // namespace bpflink
