// Writes many minimized BTFs to one file, which include/bpflink/core_archive.h reads.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "linker/kernels/kernel_source.hpp"

namespace bpflink {

/// The program and kernel that a blob is for.
struct ArchiveEntry {
  std::string program;  ///< the name of the object, "" for all
  KernelIdentity kernel;
  size_t blob;  ///< index of the blob
};

/// The archive, in the format that core_archive.h describes. Blobs begin at multiples of 8.
std::vector<std::byte> make_archive(const std::vector<ArchiveEntry>& entries,
                                    const std::vector<std::vector<std::byte>>& blobs);

}  // namespace bpflink
