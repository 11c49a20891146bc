// Skeletons as text.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linker/skeleton/model.hpp"

namespace bpflink {

/// As the options of bpfskel, and enum bpflink_skeleton_kind.
enum class SkeletonKind : uint8_t { C, Cpp, Rust, LibbpfRs, Subskeleton };

/// The text of a skeleton of the object `image`, whose name is a C identifier like `name`. Errors:
/// it is not an object; see make_skeleton(); a library has no BTF.
std::expected<std::string, Error> emit_skeleton(std::span<const std::byte> image,
                                                std::string_view name, SkeletonKind kind);

/// A header for C and C++ with the struct and functions of libbpf's skeletons.
std::string emit_c(const Skeleton& skeleton);

/// The C++ part after the C header: a class that owns the struct.
std::string emit_cpp(const Skeleton& skeleton);

/// A header for C and C++ for a library: its maps, programs and variables are found in the object
/// that it is linked into.
std::string emit_subskeleton(const Skeleton& skeleton);

/// A module for Rust, which needs only Rust's core; or one that also implements the traits of
/// libbpf-rs's skeletons, which needs that crate.
std::string emit_rust(const Skeleton& skeleton, bool for_libbpf_rs);

/// Names of structs in the module `types`, in the order of the skeleton's.
struct RustTypeNames {
  std::vector<std::string> sections;
  std::vector<std::string> shadows;
};

/// The part of a module for Rust that opens, loads and attaches the object: types that implement
/// libbpf-rs's traits SkelBuilder, OpenSkel and Skel.
std::string libbpf_rs_text(const Skeleton& skeleton, const RustTypeNames& types);

}  // namespace bpflink
