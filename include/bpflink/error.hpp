// What all headers for C++ share: the standard that they need, and what went wrong, as a value.
#pragma once

#if __has_include(<version>)
#include <version>
#endif
#ifndef __cpp_lib_expected
#error "the headers of bpflink need C++23 with std::expected: compile with -std=c++23"
#endif

#include <string>

namespace bpflink {

/// Why an operation of the library failed.
///
/// `message` is one sentence without a final full stop, a line break or the
/// name of a program, fit to stand behind "file: ". It names the place within
/// the input (a section and offset, a type id with its kind and name).
struct Error {
  std::string message;      ///< what is wrong, and where
  std::string advice = {};  ///< what may help, such as "compile with -g"; mostly ""
};

}  // namespace bpflink
