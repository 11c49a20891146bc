// Small kernel files in the formats of boot loaders, compressors and archivers
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bpflink::test {

using Blob = std::vector<std::byte>;

Blob bytes_of(std::string_view text);
Blob concatenated(std::span<const Blob> parts);

// Compressed forms

Blob gzip(const Blob& blob);
Blob xz(const Blob& blob);
Blob lzma(const Blob& blob);
Blob zstd(const Blob& blob);
Blob lz4(const Blob& blob);  ///< the legacy format
Blob bzip2(const Blob& blob);

struct TestSection {
  std::string name;
  Blob contents;
  uint32_t type = 1;  ///< SHT_PROGBITS
};

/// A 64-bit little-endian ELF file with these sections.
Blob elf_file(uint16_t type, uint16_t machine, const std::vector<TestSection>& sections);

/// A note with a build id: 20 times `byte`.
Blob build_id_note(uint8_t byte);

/// A tar archive with these files.
Blob tar(const std::vector<std::pair<std::string, Blob>>& files);

/// An x86 image with this payload, whose setup header has the version text.
Blob bz_image(const Blob& payload, std::string_view version_text);

/// An EFI image for arm64 with this payload.
Blob zboot(const Blob& payload);

/// An arm64 Image with these contents from offset 4096 on, each at a multiple of 64.
Blob flat_image(std::span<const Blob> contents);

}  // namespace bpflink::test
