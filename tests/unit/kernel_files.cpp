#include "kernel_files.hpp"

#include <bzlib.h>
#include <elf.h>
#include <lz4.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdio>
#include <cstring>

namespace bpflink::test {
namespace {

template <typename T>
void put(Blob& blob, size_t at, T value) {
  if (blob.size() < at + sizeof value) blob.resize(at + sizeof value);
  std::memcpy(&blob[at], &value, sizeof value);
}

void put_text(Blob& blob, size_t at, std::string_view text) {
  if (blob.size() < at + text.size()) blob.resize(at + text.size());
  std::memcpy(&blob[at], text.data(), text.size());
}

void append(Blob& blob, std::span<const std::byte> more) {
  blob.insert(blob.end(), more.begin(), more.end());
}

void align(Blob& blob, size_t alignment) {
  blob.resize((blob.size() + alignment - 1) / alignment * alignment);
}

const uint8_t* octets(const Blob& blob) {
  return reinterpret_cast<const uint8_t*>(blob.data());
}
uint8_t* octets(Blob& blob) {
  return reinterpret_cast<uint8_t*>(blob.data());
}

constexpr size_t overhead = 4096;

}  // namespace

Blob bytes_of(std::string_view text) {
  Blob blob;
  put_text(blob, 0, text);
  return blob;
}

Blob concatenated(std::span<const Blob> parts) {
  Blob whole;
  for (const Blob& part : parts) append(whole, part);
  return whole;
}

Blob gzip(const Blob& blob) {
  Blob out(blob.size() + overhead);
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = const_cast<Bytef*>(octets(blob));
  stream.avail_in = static_cast<uInt>(blob.size());
  stream.next_out = octets(out);
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

Blob xz(const Blob& blob) {
  Blob out(blob.size() + overhead);
  size_t size = 0;
  lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, nullptr, octets(blob), blob.size(), octets(out),
                          &size, out.size());
  out.resize(size);
  return out;
}

Blob lzma(const Blob& blob) {
  Blob out(blob.size() + overhead);
  lzma_options_lzma options;
  lzma_lzma_preset(&options, 6);
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_alone_encoder(&stream, &options) != LZMA_OK) return {};
  stream.next_in = octets(blob);
  stream.avail_in = blob.size();
  stream.next_out = octets(out);
  stream.avail_out = out.size();
  if (lzma_code(&stream, LZMA_FINISH) != LZMA_STREAM_END) return {};
  out.resize(stream.total_out);
  lzma_end(&stream);
  return out;
}

Blob zstd(const Blob& blob) {
  Blob out(blob.size() + overhead);
  out.resize(ZSTD_compress(out.data(), out.size(), blob.data(), blob.size(), 3));
  return out;
}

Blob lz4(const Blob& blob) {
  constexpr size_t block_size = 8 << 20;
  Blob out;
  put(out, 0, uint32_t{0x184c2102});
  for (size_t at = 0; at < blob.size(); at += block_size) {
    int size = static_cast<int>(std::min(block_size, blob.size() - at));
    Blob block(static_cast<size_t>(LZ4_compressBound(size)));
    int count = LZ4_compress_default(reinterpret_cast<const char*>(&blob[at]),
                                     reinterpret_cast<char*>(block.data()), size,
                                     static_cast<int>(block.size()));
    put(out, out.size(), static_cast<uint32_t>(count));
    append(out, std::span(block).first(static_cast<size_t>(count)));
  }
  return out;
}

Blob bzip2(const Blob& blob) {
  Blob out(blob.size() + overhead);
  auto size = static_cast<unsigned>(out.size());
  BZ2_bzBuffToBuffCompress(reinterpret_cast<char*>(out.data()), &size,
                           reinterpret_cast<char*>(const_cast<std::byte*>(blob.data())),
                           static_cast<unsigned>(blob.size()), 9, 0, 0);
  out.resize(size);
  return out;
}

Blob elf_file(uint16_t type, uint16_t machine, const std::vector<TestSection>& sections) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = type;
  header.e_machine = machine;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<uint16_t>(sections.size() + 2);
  header.e_shstrndx = static_cast<uint16_t>(sections.size() + 1);

  Blob file(sizeof header);
  std::string names(1, '\0');
  std::vector<Elf64_Shdr> headers(1);
  auto add = [&](const std::string& name, uint32_t section_type, std::span<const std::byte> bytes) {
    align(file, 16);
    Elf64_Shdr section{};
    section.sh_name = static_cast<uint32_t>(names.size());
    section.sh_type = section_type;
    section.sh_offset = file.size();
    section.sh_size = bytes.size();
    section.sh_addralign = 16;
    headers.push_back(section);
    append(file, bytes);
    names += name + '\0';
  };
  for (const TestSection& section : sections) add(section.name, section.type, section.contents);
  names += std::string(".shstrtab") + '\0';
  Blob table = bytes_of(names);
  add("", SHT_STRTAB, table);
  headers.back().sh_name = static_cast<uint32_t>(names.size() - 11);
  align(file, 16);
  header.e_shoff = file.size();
  for (const Elf64_Shdr& section : headers) put(file, file.size(), section);
  put(file, 0, header);
  return file;
}

Blob build_id_note(uint8_t byte) {
  Blob note;
  for (uint32_t word : {4u, 20u, 3u}) put(note, note.size(), word);
  put_text(note, note.size(), std::string_view("GNU\0", 4));
  note.resize(note.size() + 20, std::byte{byte});
  return note;
}

Blob tar(const std::vector<std::pair<std::string, Blob>>& files) {
  Blob archive;
  for (const auto& [name, contents] : files) {
    size_t at = archive.size();
    archive.resize(at + 512);
    char size[12];
    std::snprintf(size, sizeof size, "%011o", static_cast<unsigned>(contents.size()));
    put_text(archive, at, name);
    put_text(archive, at + 124, std::string_view(size));
    put(archive, at + 156, '0');
    put_text(archive, at + 257, "ustar");
    append(archive, contents);
    align(archive, 512);
  }
  archive.resize(archive.size() + 1024);
  return archive;
}

Blob bz_image(const Blob& payload, std::string_view version_text) {
  constexpr size_t setup_sectors = 4, payload_offset = 0x60;
  Blob image(0x250);
  put(image, 0x1f1, static_cast<uint8_t>(setup_sectors));
  put(image, 0x1fe, uint16_t{0xaa55});
  put_text(image, 0x202, "HdrS");
  put(image, 0x206, uint16_t{0x20f});
  put(image, 0x20e, uint16_t{0x100});
  put(image, 0x248, static_cast<uint32_t>(payload_offset));
  put(image, 0x24c, static_cast<uint32_t>(payload.size()));
  put_text(image, 0x300, version_text);
  image.resize((setup_sectors + 1) * 512 + payload_offset);
  append(image, payload);
  align(image, 4096);
  return image;
}

Blob zboot(const Blob& payload) {
  Blob image(0x100);
  put_text(image, 0, "MZ");
  put_text(image, 4, "zimg");
  put(image, 8, uint32_t{0x100});
  put(image, 12, static_cast<uint32_t>(payload.size()));
  put(image, 0x3c, uint32_t{0x80});
  put_text(image, 0x80, "PE");
  put(image, 0x84, uint16_t{0xaa64});
  append(image, payload);
  return image;
}

Blob flat_image(std::span<const Blob> contents) {
  Blob image(4096);
  put_text(image, 0, "MZ");
  put_text(image, 0x38, "ARMd");
  for (const Blob& blob : contents) {
    align(image, 64);
    append(image, blob);
  }
  align(image, 4096);
  return image;
}

}  // namespace bpflink::test
