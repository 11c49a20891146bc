// The BTF of an object as the kernel sees it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "bpflink/check.hpp"
#include "linker/elf/object_file.hpp"

namespace bpflink {

/// What libbpf (1.8) hands to a kernel of `blob`, the section .BTF of `object`: compilers leave to
/// loaders what only the linked object tells. DATASECs get the sizes of their sections and the
/// offsets of their symbols, in order; what is declared in .ksyms and .kconfig becomes variables,
/// and what is hidden static. Nothing where the blob cannot be read, or exceeds a limit; it is then
/// loaded as it is, if at all.
std::optional<std::vector<std::byte>> loaded_btf(const ObjectFile& object,
                                                 std::span<const std::byte> blob);

/// Which rules hold for the BTF in a file. An ELF file that is not for BPF is a kernel, or a module
/// with its base, and so is raw BTF with a base, or of a kernel's image. `blob` is the contents of
/// the section .BTF, or the file.
BtfUse use_of_file(std::span<const std::byte> file, std::span<const std::byte> blob,
                   const Btf* base);

/// Whether a kernel takes the BTF in a file: of a BPF object what libbpf hands over, else what is
/// there.
BtfVerdict check_file(std::span<const std::byte> file, std::span<const std::byte> blob, BtfUse use,
                      const Btf* base);

}  // namespace bpflink
