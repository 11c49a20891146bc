// The contents of a file that is a kernel or has a kernel's types: BTF, an ELF file, or a boot
// image, each perhaps compressed or in an archive.
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
#include "linker/elf/elf_file.hpp"
#include "linker/kernels/decompress.hpp"

namespace bpflink {

/// The innermost of what a file contains.
struct KernelImage {
  enum class Form : uint8_t {
    Btf,  ///< a blob of BTF
    Elf,
    Flat,  ///< what is loaded, byte for byte: the Image of arm64 and RISC-V
  };
  Form form = Form::Btf;
  std::span<const std::byte> bytes{};  ///< in the file or in `decompressed`
  ByteBuffer decompressed{};           ///< empty where the file has it as it is
  std::optional<ElfFile> elf{};        ///< where it is one
  std::string member{};                ///< its name in an archive, or ""

  // What the image and its wrappings say of the kernel; "" where they do not.

  std::string release{};   ///< "5.14.0-70.el9.x86_64"
  std::string version{};   ///< "#1 SMP Debian 6.1.176-1 (2026-07-02)", which uname -v shows
  std::string arch{};      ///< "x86_64", "arm64"
  std::string build_id{};  ///< in hexadecimal
};

/// Takes away what a file is wrapped in: x86's bzImage, the zboot of EFI, gzip, xz, lzma, zstd,
/// lz4, bzip2, tar. `file` must outlive the result. Errors: it contains no kernel; one of these is
/// damaged or cut off; it is larger than 1 GiB.
std::expected<KernelImage, Error> unpack_kernel(std::span<const std::byte> file);

/// Whether the first bytes of a file, 4 KiB or all of it, are those of a kernel: raw BTF, bzImage,
/// zboot or an arm64 or RISC-V Image. Of ELF and compressed files these do not say it.
bool begins_like_kernel(std::span<const std::byte> begin);

/// Whether the first bytes of a file are those of an ELF file, compressed bytes or a tar archive.
bool begins_like_wrapped_kernel(std::span<const std::byte> begin);

/// Finds the release, version and build id in the image, and the architecture in the header of an
/// ELF file, unless they are known.
void identify(KernelImage& image);

/// The blob of BTF in it: a section of an ELF file, or what a flat image has of it. Errors: none.
std::expected<std::span<const std::byte>, Error> find_image_btf(const KernelImage& image);

/// The configuration that was built in, as a file of gzip; empty where none was. It begins in the
/// image, and what follows it does not count.
std::span<const std::byte> find_image_config(const KernelImage& image);

/// The build id among ELF notes, in hexadecimal; "" where there is none.
std::string find_build_id(std::span<const std::byte> notes, std::endian order);

/// "arm64" for "aarch64": the architecture as the kernel's sources and BTFHub call it. Others stay.
std::string_view arch_name(std::string_view machine);

/// Whether that is the name of an architecture, as BTFHub has folders for.
bool is_arch_name(std::string_view name);

}  // namespace bpflink
