// A file that describes kernels which do not describe themselves (see find_kernels()).
#pragma once

#include <expected>
#include <map>
#include <string>

#include "bpflink/error.hpp"
#include "linker/kernels/kernel_source.hpp"

namespace bpflink {

/// The kernels of a manifest that exist, by canonical_path().
using Manifest = std::map<std::string, KernelRecord>;

/// Reads the manifest at `path`. Errors begin with the path.
std::expected<Manifest, Error> read_manifest(const std::string& path);

}  // namespace bpflink
