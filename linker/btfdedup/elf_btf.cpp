#include "linker/btfdedup/elf_btf.hpp"

#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>

#include "linker/elf/bytes.hpp"

namespace bpflink {
namespace {

template <typename... Args>
std::unexpected<Error> fail(fmt::format_string<Args...> format, Args&&... args) {
  return std::unexpected(Error{fmt::format(format, std::forward<Args>(args)...)});
}

/// libelf says that a system call failed, but not why.
std::unexpected<Error> write_error() {
  int code = errno;
  return fail("cannot write: {}", code != 0 ? std::strerror(code) : elf_errmsg(-1));
}

struct ElfCloser {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, ElfCloser>;

std::expected<ElfSection, Error> read_section(Elf* elf, Elf_Scn* scn, size_t names,
                                              const ElfFile& file) {
  GElf_Shdr header;
  size_t index = elf_ndxscn(scn);
  if (!gelf_getshdr(scn, &header)) return fail("section header {}: {}", index, elf_errmsg(-1));
  const char* name = elf_strptr(elf, names, header.sh_name);
  if (!name) return fail("name of section {} is outside the section name table", index);
  bool has_bytes = header.sh_type != SHT_NOBITS && header.sh_type != SHT_NULL;
  if (has_bytes && (header.sh_offset > file.image.size() ||
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

/// The indices of sections that are too large for the symbols of a table.
std::span<const std::byte> find_large_indices(const ElfFile& elf, uint32_t table) {
  for (const ElfSection& section : elf.sections)
    if (section.type == SHT_SYMTAB_SHNDX && section.link == table) return elf.contents(section);
  return {};
}

/// Adds the symbols of one table. `Symbol` is how the file has them.
template <typename Symbol>
std::expected<void, Error> read_table(const ElfFile& elf, uint32_t index,
                                      std::vector<ElfSymbol>& symbols) {
  const ElfSection& table = elf.sections[index];
  if (table.link >= elf.sections.size() || table.entry_size != sizeof(Symbol))
    return fail("symbol table '{}' is malformed", table.name);
  auto names = elf.contents(elf.sections[table.link]);
  auto entries = elf.contents(table);
  auto large_indices = find_large_indices(elf, index);
  for (size_t i = 0; i < entries.size() / sizeof(Symbol); ++i) {
    const std::byte* entry = &entries[i * sizeof(Symbol)];
    auto field = [&]<typename Number>(Number Symbol::*, size_t offset) {
      return load<Number>(entry + offset, elf.order);
    };
    auto section = uint32_t{field(&Symbol::st_shndx, offsetof(Symbol, st_shndx))};
    if (section == SHN_UNDEF) continue;
    if (section == SHN_XINDEX && large_indices.size() / sizeof(uint32_t) > i)
      section = load<uint32_t>(&large_indices[i * sizeof(uint32_t)], elf.order);
    auto name = field(&Symbol::st_name, offsetof(Symbol, st_name));
    if (name >= names.size()) return fail("name of symbol {} is outside its string table", i);
    std::string_view text(reinterpret_cast<const char*>(&names[name]),
                          std::min<size_t>(names.size() - name, ElfSymbol::longest_name));
    auto info = field(&Symbol::st_info, offsetof(Symbol, st_info));
    symbols.push_back(
        {text.substr(0, text.find('\0')), field(&Symbol::st_value, offsetof(Symbol, st_value)),
         field(&Symbol::st_size, offsetof(Symbol, st_size)), section,
         static_cast<uint8_t>(ELF64_ST_TYPE(info)), static_cast<uint8_t>(ELF64_ST_BIND(info))});
  }
  return {};
}

}  // namespace

std::optional<uint32_t> ElfFile::find(std::string_view name) const {
  auto it = std::ranges::find(sections, name, &ElfSection::name);
  if (it == sections.end()) return std::nullopt;
  return static_cast<uint32_t>(it - sections.begin());
}

std::span<const std::byte> ElfFile::contents(const ElfSection& section) const {
  return section.type == SHT_NOBITS ? std::span<const std::byte>()
                                    : image.subspan(section.offset, section.size);
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

std::expected<std::vector<ElfSymbol>, Error> read_symbols(const ElfFile& elf) {
  std::vector<ElfSymbol> symbols;
  for (uint32_t i = 0; i < elf.sections.size(); ++i) {
    if (elf.sections[i].type != SHT_SYMTAB) continue;
    auto ok = elf.is_64_bit ? read_table<Elf64_Sym>(elf, i, symbols)
                            : read_table<Elf32_Sym>(elf, i, symbols);
    if (!ok) return std::unexpected(ok.error());
  }
  return symbols;
}

std::expected<void, Error> write_btf_object(int fd, std::span<const std::byte> btf,
                                            std::span<const std::byte> base, std::endian order,
                                            const ElfFile* like) {
  elf_version(EV_CURRENT);
  ElfHandle elf(elf_begin(fd, ELF_C_WRITE, nullptr));
  int elf_class = like && !like->is_64_bit ? ELFCLASS32 : ELFCLASS64;
  errno = 0;
  if (!elf || !gelf_newehdr(elf.get(), elf_class)) return write_error();
  GElf_Ehdr header{};
  header.e_ident[EI_CLASS] = static_cast<unsigned char>(elf_class);
  header.e_ident[EI_DATA] = order == std::endian::big ? ELFDATA2MSB : ELFDATA2LSB;
  header.e_type = ET_REL;
  header.e_machine = like ? like->machine : EM_BPF;
  header.e_flags = like ? like->flags : 0;
  header.e_version = EV_CURRENT;
  header.e_shstrndx = base.empty() ? 2 : 3;
  gelf_update_ehdr(elf.get(), &header);

  static constexpr char names[] = "\0.BTF\0.shstrtab\0.BTF.base";
  struct Contents {
    const void* bytes;
    size_t size;
    size_t alignment;
    uint32_t type;
    uint32_t name;
  };
  for (const Contents& contents : {Contents{btf.data(), btf.size(), 4, SHT_PROGBITS, 1},
                                   Contents{base.data(), base.size(), 4, SHT_PROGBITS, 16},
                                   Contents{names, sizeof names, 1, SHT_STRTAB, 6}}) {
    if (contents.size == 0) continue;
    Elf_Scn* scn = elf_newscn(elf.get());
    Elf_Data* data = scn ? elf_newdata(scn) : nullptr;
    GElf_Shdr section{};
    if (!data || !gelf_getshdr(scn, &section)) return write_error();
    data->d_buf = const_cast<void*>(contents.bytes);
    data->d_size = contents.size;
    data->d_align = contents.alignment;
    section.sh_type = contents.type;
    section.sh_name = contents.name;
    gelf_update_shdr(scn, &section);
  }
  if (elf_update(elf.get(), ELF_C_WRITE) < 0) return write_error();
  return {};
}

}  // namespace bpflink
