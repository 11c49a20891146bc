// The modules that are assumed to be loaded with a kernel.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <vector>

#include "bpflink/error.hpp"
#include "linker/kernels/kernel.hpp"

namespace bpflink {

/// Reads the modules in `directories` and below into the kernel: files *.ko, compressed or not, and
/// raw BTF as in /sys/kernel/btf. A directory whose name begins like a release is read only for
/// that release. Modules without BTF are ignored; modules whose BTF does not match this kernel are
/// noted. If several modules have one name, the first counts. Errors: those of list_files().
std::expected<void, Error> read_modules(std::span<const std::string> directories, Kernel& kernel);

/// Moves the owner of `blob` into `storage`: the file if nothing was decompressed, otherwise the
/// decompressed bytes, or a copy of the blob if it is the smaller part of them. Returns the blob,
/// which may have moved. Errors: out of memory.
std::expected<std::span<const std::byte>, Error> keep_blob(std::span<const std::byte> blob,
                                                           ByteBuffer& decompressed,
                                                           InputFile& file, BlobStorage& storage);

}  // namespace bpflink
