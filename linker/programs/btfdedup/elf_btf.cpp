#include "linker/programs/btfdedup/elf_btf.hpp"

#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "linker/error.hpp"
#include "linker/files/elf_handle.hpp"
#include "linker/io/bytes.hpp"

namespace bpflink {
namespace {

/// libelf reports that a system call failed, but not why.
std::unexpected<Error> write_error() {
  int code = errno;
  return fail("cannot write: {}", code != 0 ? std::strerror(code) : elf_errmsg(-1));
}

/// The section indices that do not fit into the symbols of a table.
std::span<const std::byte> find_large_indices(const ElfFile& elf, uint32_t table) {
  for (const ElfSection& section : elf.sections)
    if (section.type == SHT_SYMTAB_SHNDX && section.link == table) return elf.contents(section);
  return {};
}

}  // namespace

std::expected<std::vector<ElfSymbol>, Error> read_symbols(const ElfFile& elf) {
  std::vector<ElfSymbol> symbols;
  auto found = std::ranges::find(elf.sections, uint32_t{SHT_SYMTAB}, &ElfSection::type);
  if (found == elf.sections.end()) return symbols;
  const ElfSection& table = *found;
  if (table.link >= elf.sections.size() || table.entry_size != elf.symbol_size())
    return fail("symbol table '{}' is malformed", table.name);
  auto names = elf.contents(elf.sections[table.link]);
  auto large_indices = find_large_indices(elf, static_cast<uint32_t>(found - elf.sections.begin()));
  for (size_t i = 0; i < elf.contents(table).size() / table.entry_size; ++i) {
    const Elf64_Sym symbol = elf.symbol(table, i);
    uint32_t section = symbol.st_shndx;
    if (section == SHN_UNDEF) continue;
    if (section == SHN_XINDEX && large_indices.size() / sizeof(uint32_t) > i)
      section = load<uint32_t>(&large_indices[i * sizeof(uint32_t)], elf.order);
    if (symbol.st_name >= names.size())
      return fail("name of symbol {} is outside its string table", i);
    std::string_view text(reinterpret_cast<const char*>(&names[symbol.st_name]),
                          std::min<size_t>(names.size() - symbol.st_name, ElfSymbol::longest_name));
    symbols.push_back({text.substr(0, text.find('\0')), symbol.st_value, symbol.st_size, section,
                       static_cast<uint8_t>(ELF64_ST_TYPE(symbol.st_info)),
                       static_cast<uint8_t>(ELF64_ST_BIND(symbol.st_info))});
  }
  return symbols;
}

std::expected<void, Error> write_btf_object(int fd, std::span<const std::byte> btf,
                                            std::span<const std::byte> base, std::endian order,
                                            const ElfFile* like) {
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
