// What all headers for C++ share: the standard that they need, and which declarations the
// shared library offers.
#pragma once

#if __has_include(<version>)
#include <version>
#endif
#ifndef __cpp_lib_expected
#error "the headers of bpflink need C++23 with std::expected: compile with -std=c++23"
#endif

/// Marks what users of the shared library may call; all else is hidden in it.
#define BPFLINK_API __attribute__((visibility("default")))

/// Marks what belongs to a class that the shared library offers and stays in it.
#define BPFLINK_INTERNAL __attribute__((visibility("hidden")))
