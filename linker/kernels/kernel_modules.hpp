// The modules that are assumed to be loaded with a kernel.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <vector>

#include "bpflink/error.hpp"
#include "linker/kernels/kernel.hpp"

namespace bpflink {

/// Reads the modules in `directories` and below into the kernel: files of modules, *.ko, compressed
/// or not, and raw BTF as in /sys/kernel/btf. Below a directory whose name begins like a release
/// are those of that release only. Modules without BTF have no types to look at; those whose BTF
/// does not go with this kernel are noted. Of modules of one name the first counts. Errors: those
/// of list_files().
std::expected<void, Error> read_modules(std::span<const std::string> directories, Kernel& kernel);

/// Puts what `blob` is in into `storage`: the file where nothing was decompressed, else the
/// decompressed bytes, or of them the blob alone where it is the smaller part. Returns the blob,
/// which may have moved. Errors: there is no memory.
std::expected<std::span<const std::byte>, Error> keep_blob(std::span<const std::byte> blob,
                                                           ByteBuffer& decompressed,
                                                           InputFile& file, BlobStorage& storage);

}  // namespace bpflink
