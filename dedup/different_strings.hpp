// Which strings of a section are there for the first time.
#pragma once

#include <string_view>
#include <vector>

namespace bpflink {

/// By offset: whether one of the strings of a section begins there, and stands nowhere
/// before. The strings are one after another, each with its NUL, the empty one first.
std::vector<bool> find_different(std::string_view section);

}  // namespace bpflink
