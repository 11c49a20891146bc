// The contents of a kernel file: BTF, an ELF file or a boot image, each possibly compressed or in
// an archive.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bpflink/error.hpp"
#include "linker/files/elf_file.hpp"
#include "linker/kernels/kernel_source.hpp"
#include "linker/kernels/owned_bytes.hpp"

namespace bpflink {

/// The innermost contents of a file.
struct KernelImage {
  enum class Form : uint8_t {
    Btf,  ///< a blob of BTF
    Elf,
    Flat,  ///< a memory image: the Image of arm64 and RISC-V
  };
  Form form = Form::Btf;
  OwnedBytes contents{};
  /// The size of what a container was decompressed to, of which `contents` is a part; else 0.
  size_t decompressed_size = 0;
  std::optional<ElfFile> elf{};  ///< set for Form::Elf
  std::string member{};          ///< its name in an archive, or ""
  KernelIdentity identity{};     ///< from the image and its containers
};

/// Removes the containers of a file: x86's bzImage, EFI's zboot, gzip, xz, lzma, zstd, lz4, bzip2,
/// tar. Errors: it contains no kernel; a container is damaged or truncated; all of them together
/// decompress to more than a kernel of that size can (DecompressionLimit::of_kernel()).
std::expected<KernelImage, Error> unpack_kernel(OwnedBytes file);

/// A part of the image's bytes, with their owner. Of decompressed bytes, most of which are not in
/// the part, it is a copy.
OwnedBytes keep_part(const KernelImage& image, std::span<const std::byte> part);

/// Whether the first bytes of a file (4 KiB, or all of it) are those of a kernel: raw BTF, bzImage,
/// zboot or an arm64 or RISC-V Image. ELF and compressed files do not show it there.
bool begins_like_kernel(std::span<const std::byte> begin);

/// Whether the first bytes of a file are those of an ELF file, compressed bytes or a tar archive.
bool begins_like_wrapped_kernel(std::span<const std::byte> begin);

/// Whether a file that begins so has to be unpacked: it is neither BTF nor an ELF file.
bool is_packed(std::span<const std::byte> begin);

/// Finds the release, version and build id in the image, and the architecture in an ELF header,
/// unless they are known.
void identify(KernelImage& image);

/// The BTF blob of the image: a section of an ELF file, or found in a flat image. Errors: there is
/// none.
std::expected<std::span<const std::byte>, Error> find_image_btf(const KernelImage& image);

/// The built-in configuration, compressed with gzip; empty if there is none. The result may extend
/// beyond the gzip stream.
std::span<const std::byte> find_image_config(const KernelImage& image);

/// The build id in ELF notes, in hexadecimal, or "".
std::string find_build_id(std::span<const std::byte> notes, std::endian order);

/// The architecture's name in the kernel's sources and BTFHub: "arm64" for "aarch64". Other names
/// are unchanged.
std::string_view arch_name(std::string_view machine);

/// Whether BTFHub has folders for an architecture of that name.
bool is_arch_name(std::string_view name);

}  // namespace bpflink
