#include "linker/files/elf_file.hpp"

#include <gelf.h>

#include <algorithm>
#include <cstring>

#include "dedup/for_linker.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/files/elf_handle.hpp"
#include "linker/files/shared_names.hpp"
#include "linker/io/bytes.hpp"

namespace bpflink {
namespace {

bool has_bytes(uint32_t type) {
  return type != SHT_NOBITS && type != SHT_NULL;
}

std::expected<ElfSection, Error> read_header(Elf_Scn* scn, uint64_t header_offset) {
  GElf_Shdr header;
  if (!gelf_getshdr(scn, &header))
    return fail("section header {}: {}", elf_ndxscn(scn), elf_errmsg(-1));
  return ElfSection{.type = header.sh_type,
                    .flags = header.sh_flags,
                    .address = header.sh_addr,
                    .offset = header.sh_offset,
                    .size = header.sh_size,
                    .link = header.sh_link,
                    .info = header.sh_info,
                    .alignment = header.sh_addralign,
                    .entry_size = header.sh_entsize,
                    .name_offset = header.sh_name,
                    .header_offset = header_offset};
}

std::expected<void, Error> check_place(const ElfSection& section, std::string_view name,
                                       size_t file_size) {
  bool is_inside = !has_bytes(section.type) ||
                   (section.offset <= file_size && section.size <= file_size - section.offset);
  if (is_inside) return {};
  return fail("section '{}' at offset {:#x} with {:#x} bytes is outside the file of {:#x} bytes",
              name, section.offset, section.size, file_size);
}

/// Reads section names, and checks that each section is inside the file.
std::expected<void, Error> read_names(ElfFile& file, const ElfSection& table, size_t table_index) {
  if (table.type != SHT_STRTAB)
    return fail("section name table index {} is not a string table's", table_index);
  TRY(check_place(table, "(section names)", file.image.size()));
  SharedNames shared;
  for (size_t i = 1; i < file.sections.size(); ++i) {
    ElfSection& section = file.sections[i];
    auto name = file.string(table, section.name_offset);
    if (!name) return fail("name of section {} is outside the section name table", i);
    TRY(shared.add(file.contents(table), section.name_offset, *name));
    TRY(check_place(section, *name, file.image.size()));
    section.name = *name;
  }
  return {};
}

/// Bytes of the file that one header, table or section claims.
struct ClaimedBytes {
  uint64_t begin, end;
  size_t index;  ///< of the section; 0 for headers
};

/// Checks that sections share no bytes with each other or with the headers: what was checked in one
/// is not changed through another.
std::expected<void, Error> check_overlaps(const ElfFile& file, const GElf_Ehdr& header) {
  std::vector<ClaimedBytes> claims;
  claims.reserve(file.sections.size() + 1);
  claims.push_back({0, file.is_64_bit ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr), 0});
  claims.push_back({header.e_shoff, header.e_shoff + file.sections.size() * header.e_shentsize, 0});
  for (size_t i = 1; i < file.sections.size(); ++i) {
    const ElfSection& section = file.sections[i];
    if (has_bytes(section.type) && section.size != 0)
      claims.push_back({section.offset, section.offset + section.size, i});
  }
  if (!std::ranges::is_sorted(claims, {}, &ClaimedBytes::begin))
    std::ranges::sort(claims, {}, &ClaimedBytes::begin);
  auto name_of = [&](const ClaimedBytes& claim) {
    if (claim.index != 0) return fmt::format("section '{}'", file.sections[claim.index].name);
    return std::string(claim.begin == 0 ? "the ELF header" : "the section header table");
  };
  const ClaimedBytes* last = claims.data();
  for (const ClaimedBytes& claim : std::span(claims).subspan(1)) {
    if (claim.begin < last->end)
      return fail("{} at offset {:#x} overlaps {}, which ends at {:#x}", name_of(claim),
                  claim.begin, name_of(*last), last->end);
    last = &claim;
  }
  return {};
}

/// Loads a symbol of the file's ELF class.
template <typename Symbol>
Elf64_Sym load_symbol(const std::byte* entry, std::endian order) {
  auto field = [&]<typename Number>(Number Symbol::*, size_t offset) {
    return load<Number>(entry + offset, order);
  };
  return {.st_name = field(&Symbol::st_name, offsetof(Symbol, st_name)),
          .st_info = field(&Symbol::st_info, offsetof(Symbol, st_info)),
          .st_other = field(&Symbol::st_other, offsetof(Symbol, st_other)),
          .st_shndx = field(&Symbol::st_shndx, offsetof(Symbol, st_shndx)),
          .st_value = field(&Symbol::st_value, offsetof(Symbol, st_value)),
          .st_size = field(&Symbol::st_size, offsetof(Symbol, st_size))};
}

}  // namespace

std::expected<void, Error> check_contents(const ElfSection& section) {
  if (section.flags & SHF_COMPRESSED)
    return std::unexpected(
        Error{fmt::format("section '{}' is compressed", section.name),
              fmt::format("llvm-objcopy --compress-sections={}=none undoes that", section.name)});
  if (section.type != SHT_NOBITS) return {};
  return fail("section '{}' has no contents, as in files of objcopy --only-keep-debug",
              section.name);
}

std::optional<uint32_t> ElfFile::find(std::string_view name) const {
  auto it = std::ranges::find(sections, name, &ElfSection::name);
  if (it == sections.end()) return std::nullopt;
  return static_cast<uint32_t>(it - sections.begin());
}

std::span<const std::byte> ElfFile::contents(const ElfSection& section) const {
  return has_bytes(section.type) ? image.subspan(section.offset, section.size)
                                 : std::span<const std::byte>();
}

std::optional<std::string_view> ElfFile::string(const ElfSection& table, uint64_t offset) const {
  auto bytes = contents(table);
  if (offset >= bytes.size()) return std::nullopt;
  const void* start = &bytes[offset];
  const void* end = std::memchr(start, 0, bytes.size() - offset);
  if (!end) return std::nullopt;
  return std::string_view(static_cast<const char*>(start), static_cast<const char*>(end));
}

Elf64_Sym ElfFile::symbol(const ElfSection& table, size_t index) const {
  const std::byte* entry = &contents(table)[index * symbol_size()];
  return is_64_bit ? load_symbol<Elf64_Sym>(entry, order) : load_symbol<Elf32_Sym>(entry, order);
}

std::expected<ElfFile, Error> read_elf(std::span<const std::byte> image) {
  // libelf does not write to an image that is only read.
  auto* bytes = const_cast<char*>(reinterpret_cast<const char*>(image.data()));
  ElfHandle elf(elf_memory(bytes, image.size()));
  GElf_Ehdr header;
  size_t names = 0, count = 0;
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF || !gelf_getehdr(elf.get(), &header))
    return fail("is a truncated or damaged ELF file");
  if (elf_getshdrnum(elf.get(), &count) != 0 || (count == 0 && header.e_shoff != 0))
    return fail("section headers at offset {:#x} are outside the file of {:#x} bytes",
                header.e_shoff, image.size());
  if (elf_getshdrstrndx(elf.get(), &names) != 0 || (names >= count && count != 0))
    return fail("section name table index {} is out of range, the last is {}", header.e_shstrndx,
                count - 1);

  ElfFile file{image,
               header.e_ident[EI_DATA] == ELFDATA2MSB ? std::endian::big : std::endian::little,
               header.e_ident[EI_CLASS] == ELFCLASS64,
               header.e_type,
               header.e_machine,
               header.e_flags,
               names,
               {{}}};
  if (count == 0 || header.e_shoff == 0) return file;
  const size_t header_size = file.is_64_bit ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
  if (header.e_shentsize != header_size)
    return fail("section headers have {} each, expected {}", count_of(header.e_shentsize, "byte"),
                header_size);
  for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf.get(), scn)) != nullptr;) {
    uint64_t header_offset = header.e_shoff + elf_ndxscn(scn) * header.e_shentsize;
    auto section = TRY(read_header(scn, header_offset));
    file.sections.push_back(section);
  }
  TRY(read_names(file, file.sections[names], names));
  TRY(check_overlaps(file, header));
  return file;
}

}  // namespace bpflink
