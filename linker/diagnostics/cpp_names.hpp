// Names of C++ symbols.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "linker/elf/object_file.hpp"

namespace bpflink {

/// "account(key*, int)" of "_Z7accountP3keyi"; "" of what is no name of C++.
std::string demangle(std::string_view name);

/// The function that `object` defines as C++ under a name that C knows as `name`, demangled; ""
/// where there is none.
std::string find_cpp_definition(const ObjectFile& object, std::string_view name);

/// What to do about a definition that find_cpp_definition() found.
std::vector<std::string> describe_cpp_definition(std::string_view object,
                                                 std::string_view definition);

}  // namespace bpflink
