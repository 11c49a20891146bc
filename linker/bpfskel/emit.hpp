// Skeletons as text.
#pragma once

#include <string>

#include "linker/bpfskel/model.hpp"

namespace bpflink {

/// A header for C and C++: the struct and functions that libbpf's users know.
std::string emit_c(const Skeleton& skeleton);

/// What follows the C header for C++: a class that owns the struct.
std::string emit_cpp(const Skeleton& skeleton);

/// A header for C and C++ with the same of a library, found in the object that it is linked into.
std::string emit_subskeleton(const Skeleton& skeleton);

/// A module for Rust, which needs nothing but Rust's core.
std::string emit_rust(const Skeleton& skeleton);

}  // namespace bpflink
