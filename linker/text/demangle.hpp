// Names of C++ and Rust symbols.
#pragma once

#include <optional>
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

/// The path of a Rust symbol, "core::option::Option<T>::unwrap", in the legacy form
/// (_ZN...17h<hash>E) or the v0 form (_R...). "" for a v0 name that is more than a path of plain
/// names; nothing if it is no Rust symbol.
std::optional<std::string> rust_name(std::string_view symbol);

}  // namespace bpflink
