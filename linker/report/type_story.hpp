// Explains who brings a type in (`--explain`).
#pragma once

#include <string>
#include <string_view>

#include "linker/report/model.hpp"

namespace bpflink {

/// A line of an explanation: the subject in the first column, text in the second.
std::string story_line(std::string_view what, std::string_view text);

/// A number with a comma before each three digits.
std::string grouped(uint64_t number);

/// For each type of a name, the chain that leads to it, its input, and its bytes. `what`
/// is "struct NAME", "union NAME", "enum NAME", "typedef NAME", "func NAME" or "var NAME", or NAME
/// alone for all types of C of that name. "" if there are none.
std::string explain_types(const OutputModel& model, std::string_view what);

/// The name of a type that may have been meant, or "".
std::string find_similar_type(const OutputModel& model, std::string_view what);

}  // namespace bpflink
