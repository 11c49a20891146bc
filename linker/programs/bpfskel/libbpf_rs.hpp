// The part of a module for Rust that opens, loads and attaches the object by the crate libbpf-rs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "linker/programs/bpfskel/model.hpp"

namespace bpflink {

/// A valid Rust name similar to a text.
std::string make_rust_name(std::string_view text);

/// Names of structs in the module `types`, in the order of the skeleton's.
struct RustTypeNames {
  std::vector<std::string> sections;
  std::vector<std::string> shadows;
};

/// Types that implement libbpf-rs's traits SkelBuilder, OpenSkel and Skel.
std::string libbpf_rs_text(const Skeleton& skeleton, const RustTypeNames& types);

}  // namespace bpflink
