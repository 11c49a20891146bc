// Describes a file that is not an object to link, for messages.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace bpflink {

/// Whether `image` begins as every ELF file does.
bool is_elf(std::span<const std::byte> image);

/// Whether `image` begins as BTF of either byte order does.
bool is_raw_btf(std::span<const std::byte> image);

/// "" if the header of `image` is that of an ELF64 relocatable object for BPF. Otherwise what the
/// file is and, where that helps, what to do: "x86-64 object", "LLVM bitcode", "empty file".
std::string describe_foreign_file(std::span<const std::byte> image);

}  // namespace bpflink
