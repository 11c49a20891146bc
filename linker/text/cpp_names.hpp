// Names of C++ symbols.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "linker/files/object_file.hpp"

namespace bpflink {

/// "account(key*, int)" for "_Z7accountP3keyi"; "" for names that are not C++.
std::string demangle(std::string_view name);

/// The demangled C++ function of `object` whose C name would be `name`; "" if there is none.
std::string find_cpp_definition(const ObjectFile& object, std::string_view name);

/// Hints for a definition that find_cpp_definition() found.
std::vector<std::string> describe_cpp_definition(std::string_view object,
                                                 std::string_view definition);

}  // namespace bpflink
