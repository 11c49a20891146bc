#include "linker/elf/elf_file.hpp"

#include <gelf.h>

#include <algorithm>

#include "linker/elf/elf_handle.hpp"
#include "linker/error.hpp"

namespace bpflink {
namespace {

bool has_bytes(uint32_t type) {
  return type != SHT_NOBITS && type != SHT_NULL;
}

std::expected<ElfSection, Error> read_section(Elf* elf, Elf_Scn* scn, size_t names,
                                              const ElfFile& file) {
  GElf_Shdr header;
  size_t index = elf_ndxscn(scn);
  if (!gelf_getshdr(scn, &header)) return fail("section header {}: {}", index, elf_errmsg(-1));
  const char* name = elf_strptr(elf, names, header.sh_name);
  if (!name) return fail("name of section {} is outside the section name table", index);
  if (has_bytes(header.sh_type) && (header.sh_offset > file.image.size() ||
                                    header.sh_size > file.image.size() - header.sh_offset))
    return fail("section '{}' at offset {:#x} with {:#x} bytes is outside the file of {:#x} bytes",
                name, header.sh_offset, header.sh_size, file.image.size());
  GElf_Ehdr ehdr;
  gelf_getehdr(elf, &ehdr);
  return ElfSection{name,
                    header.sh_type,
                    header.sh_flags,
                    header.sh_addr,
                    header.sh_offset,
                    header.sh_size,
                    header.sh_link,
                    header.sh_info,
                    header.sh_entsize,
                    ehdr.e_shoff + index * ehdr.e_shentsize};
}

}  // namespace

std::optional<uint32_t> ElfFile::find(std::string_view name) const {
  auto it = std::ranges::find(sections, name, &ElfSection::name);
  if (it == sections.end()) return std::nullopt;
  return static_cast<uint32_t>(it - sections.begin());
}

std::span<const std::byte> ElfFile::contents(const ElfSection& section) const {
  return has_bytes(section.type) ? image.subspan(section.offset, section.size)
                                 : std::span<const std::byte>();
}

std::expected<ElfFile, Error> read_elf(std::span<const std::byte> image) {
  elf_version(EV_CURRENT);
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
    return fail("section name table index {} is not that of a section, the last is {}",
                header.e_shstrndx, count - 1);

  ElfFile file{image,
               header.e_ident[EI_DATA] == ELFDATA2MSB ? std::endian::big : std::endian::little,
               header.e_ident[EI_CLASS] == ELFCLASS64,
               header.e_type,
               header.e_machine,
               header.e_flags,
               {{}}};
  for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf.get(), scn)) != nullptr;) {
    auto section = read_section(elf.get(), scn, names, file);
    if (!section) return std::unexpected(section.error());
    file.sections.push_back(*section);
  }
  return file;
}

}  // namespace bpflink
