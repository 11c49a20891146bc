#include "tests/fuzz/elf_image.hpp"

#include <algorithm>
#include <cstring>

namespace bpflink::fuzz {
namespace {

constexpr size_t MAX_SECTIONS = 200;

template <typename... Fields>
void swap_bytes(Fields&... fields) {
  ((fields = std::byteswap(fields)), ...);
}

void swap_bytes(Elf64_Ehdr& h) {
  swap_bytes(h.e_type, h.e_machine, h.e_version, h.e_entry, h.e_phoff, h.e_shoff, h.e_flags,
             h.e_ehsize, h.e_phentsize, h.e_phnum, h.e_shentsize, h.e_shnum, h.e_shstrndx);
}

void swap_bytes(Elf64_Shdr& h) {
  swap_bytes(h.sh_name, h.sh_type, h.sh_flags, h.sh_addr, h.sh_offset, h.sh_size, h.sh_link,
             h.sh_info, h.sh_addralign, h.sh_entsize);
}

template <typename Header>
Header load_header(const uint8_t* from, std::endian order) {
  Header header;
  std::memcpy(&header, from, sizeof header);
  if (order != std::endian::native) swap_bytes(header);
  return header;
}

template <typename Header>
void append_header(Bytes& file, Header header, std::endian order) {
  if (order != std::endian::native) swap_bytes(header);
  const auto* bytes = reinterpret_cast<const uint8_t*>(&header);
  file.insert(file.end(), bytes, bytes + sizeof header);
}

bool has_bytes(const Elf64_Shdr& header) {
  return header.sh_type != SHT_NOBITS && header.sh_type != SHT_NULL;
}

}  // namespace

std::optional<ElfImage> ElfImage::read(std::span<const uint8_t> file) {
  if (file.size() < sizeof(Elf64_Ehdr) || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0 ||
      file[EI_CLASS] != ELFCLASS64)
    return std::nullopt;
  ElfImage image;
  std::memcpy(image.header.e_ident, file.data(), EI_NIDENT);
  std::endian order = image.byte_order();
  image.header = load_header<Elf64_Ehdr>(file.data(), order);
  uint64_t at = image.header.e_shoff, count = image.header.e_shnum;
  if (count == 0 || count > MAX_SECTIONS || at > file.size() ||
      count * sizeof(Elf64_Shdr) > file.size() - at)
    return std::nullopt;
  for (uint64_t i = 0; i < count; i++) {
    auto header = load_header<Elf64_Shdr>(&file[at + i * sizeof(Elf64_Shdr)], order);
    Bytes bytes;
    if (has_bytes(header)) {
      if (header.sh_offset > file.size() || header.sh_size > file.size() - header.sh_offset)
        return std::nullopt;
      auto contents = file.subspan(header.sh_offset, header.sh_size);
      bytes.assign(contents.begin(), contents.end());
    }
    image.sections.push_back({header, std::move(bytes)});
  }
  return image;
}

Bytes ElfImage::write() const {
  Bytes file(sizeof(Elf64_Ehdr));
  std::vector<Elf64_Shdr> headers;
  for (const ElfSection& section : sections) {
    Elf64_Shdr& header = headers.emplace_back(section.header);
    if (!has_bytes(header)) continue;
    file.resize((file.size() + 7) & ~size_t{7});
    header.sh_offset = file.size();
    header.sh_size = section.bytes.size();
    file.insert(file.end(), section.bytes.begin(), section.bytes.end());
  }
  file.resize((file.size() + 7) & ~size_t{7});
  Elf64_Ehdr ehdr = header;
  ehdr.e_shoff = file.size();
  ehdr.e_shnum = static_cast<uint16_t>(headers.size());
  for (const Elf64_Shdr& header : headers) append_header(file, header, byte_order());
  Bytes start;
  append_header(start, ehdr, byte_order());
  std::ranges::copy(start, file.begin());
  return file;
}

std::string_view ElfImage::name_of(const ElfSection& section) const {
  if (header.e_shstrndx >= sections.size()) return {};
  const Bytes& names = sections[header.e_shstrndx].bytes;
  if (section.header.sh_name >= names.size()) return {};
  auto begin = names.begin() + section.header.sh_name;
  return {reinterpret_cast<const char*>(&*begin),
          static_cast<size_t>(std::find(begin, names.end(), 0) - begin)};
}

ElfSection* ElfImage::find(std::string_view name) {
  auto found = std::ranges::find_if(
      sections, [&](const ElfSection& section) { return name_of(section) == name; });
  return found == sections.end() ? nullptr : &*found;
}

}  // namespace bpflink::fuzz
