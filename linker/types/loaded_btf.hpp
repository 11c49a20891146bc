// The BTF of an object as the kernel sees it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "bpflink/check.hpp"
#include "linker/files/object_file.hpp"

namespace bpflink {

/// The BTF that libbpf (1.8) passes to a kernel for `blob`, the section .BTF of `object`. Compilers
/// leave some of it to loaders: DATASECs get the sizes of their sections and the offsets of their
/// symbols, in order; declarations in .ksyms and .kconfig become variables, and hidden symbols
/// static. Nothing if the blob cannot be read or exceeds a limit; then it is loaded unchanged, if
/// at all.
std::optional<std::vector<std::byte>> loaded_btf(const ObjectFile& object,
                                                 std::span<const std::byte> blob);

/// Which rules apply to the BTF in a file. An ELF file that is not for BPF is a kernel, or a module
/// if it has a base. Raw BTF is a kernel's if it has a base or looks like a kernel image's. `blob`
/// is the contents of the section .BTF, or the file.
BtfUse use_of_file(std::span<const std::byte> file, std::span<const std::byte> blob,
                   const Btf* base);

/// Whether kernels accept the BTF in a file: for a BPF object what libbpf passes to them, otherwise
/// what the file holds.
BtfVerdict check_file(std::span<const std::byte> file, std::span<const std::byte> blob, BtfUse use,
                      const Btf* base);

}  // namespace bpflink
