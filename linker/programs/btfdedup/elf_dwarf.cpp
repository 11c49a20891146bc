// Finds the sections of DWARF, and makes them readable.
//
// In an object or a module, offsets of strings and addresses are relocations. Only sections that
// types and functions are read from are copied and relocated. A location list needs none: what is
// read of it are registers.
#include "linker/programs/btfdedup/elf_dwarf.hpp"

#include <elf.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/io/bytes.hpp"
#include "linker/io/decompression_limit.hpp"
#include "linker/kernels/decompress.hpp"

namespace bpflink {
namespace {

using Bytes = DwarfSections::Bytes;

struct NamedSection {
  std::string_view name;
  Bytes DwarfSections::*bytes;
  bool is_relocated;
  bool has_suffix = true;  ///< in a .dwo file
};

constexpr NamedSection named_sections[] = {
    {".debug_abbrev", &DwarfSections::abbreviations, false},
    {".debug_str", &DwarfSections::strings, false},
    {".debug_line_str", &DwarfSections::line_strings, false},
    {".debug_str_offsets", &DwarfSections::string_offsets, true},
    {".debug_addr", &DwarfSections::addresses, true},
    {".debug_loclists", &DwarfSections::location_lists, false},
    {".debug_loc", &DwarfSections::old_location_lists, false},
    {".debug_cu_index", &DwarfSections::unit_index, false, false},
    {".debug_tu_index", &DwarfSections::type_index, false, false},
};

/// A relocation that stores symbol and addend.
struct StoredAddress {
  uint16_t machine;
  uint32_t type;
  uint8_t size;  ///< bytes; 0 for one that is part of a difference, of which nobody reads
  uint32_t last_type = type;
};

constexpr StoredAddress stored_addresses[] = {
    {EM_X86_64, R_X86_64_64, 8},
    {EM_X86_64, R_X86_64_32, 4},
    {EM_X86_64, R_X86_64_32S, 4},
    {EM_X86_64, R_X86_64_DTPOFF64, 0},
    {EM_X86_64, R_X86_64_DTPOFF32, 0},
    {EM_AARCH64, R_AARCH64_ABS64, 8},
    {EM_AARCH64, R_AARCH64_ABS32, 4},
    {EM_386, R_386_32, 4},
    {EM_386, R_386_TLS_LDO_32, 0},
    {EM_ARM, R_ARM_ABS32, 4},
    {EM_ARM, R_ARM_TLS_LDO32, 0},
    {EM_S390, R_390_64, 8},
    {EM_S390, R_390_32, 4},
    {EM_PPC64, R_PPC64_ADDR64, 8},
    {EM_PPC64, R_PPC64_ADDR32, 4},
    {EM_PPC, R_PPC_ADDR32, 4},
    {EM_RISCV, R_RISCV_64, 8},
    {EM_RISCV, R_RISCV_32, 4},
    {EM_RISCV, R_RISCV_ADD8, 0, R_RISCV_SUB64},
    {EM_RISCV, R_RISCV_SUB6, 0, R_RISCV_SET6},
    {EM_MIPS, R_MIPS_64, 8},
    {EM_MIPS, R_MIPS_32, 4},
    {EM_SPARCV9, R_SPARC_UA64, 8},
    {EM_SPARCV9, R_SPARC_UA32, 4},
    {EM_BPF, 2, 8},
    {EM_BPF, 3, 4},  // R_BPF_64_ABS64, R_BPF_64_ABS32
};

std::expected<OwnedBytes, Error> decompress_section(const ElfFile& elf, const ElfSection& section,
                                                    DecompressionLimit& limit) {
  enum : uint32_t { zlib = 1, zstd };  // of ELFCOMPRESS_*
  Bytes contents = elf.contents(section);
  const size_t header_size = elf.is_64_bit ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
  uint32_t format = 0;
  if (contents.size() >= header_size) format = load<uint32_t>(contents.data(), elf.order);
  if (format != zlib && format != zstd)
    return fail("section '{}' is compressed in a way that cannot be read", section.name);
  auto bytes = decompress(contents.subspan(header_size), limit,
                          format == zlib ? Compression::Zlib : Compression::Zstd);
  if (!bytes) return fail("section '{}': {}", section.name, bytes.error().message);
  return bytes;
}

/// Applies the relocations of a section to its copy.
class Relocator {
 public:
  Relocator(const ElfFile& elf, const ElfSection& table, std::span<std::byte> bytes)
      : elf_(elf), table_(table), bytes_(bytes) {}

  std::expected<void, Error> run() {
    const bool has_addends = table_.type == SHT_RELA;
    const size_t word = elf_.is_64_bit ? 8 : 4, entry_size = (has_addends ? 3 : 2) * word;
    Bytes entries = elf_.contents(table_);
    if (table_.link >= elf_.sections.size() || table_.entry_size != entry_size)
      return fail("section '{}' is malformed", table_.name);
    const ElfSection& symbols = elf_.sections[table_.link];
    size_t symbol_count = elf_.contents(symbols).size() / elf_.symbol_size();
    for (size_t at = 0; at + entry_size <= entries.size(); at += entry_size) {
      const uint64_t offset = load_number(&entries[at], word);
      const uint64_t info = load_number(&entries[at + word], word);
      const auto type = static_cast<uint32_t>(elf_.is_64_bit ? info : info & 0xff);
      const uint64_t symbol = info >> (elf_.is_64_bit ? 32 : 8);
      if (type == 0) continue;
      if ((type < known_.type || type > known_.last_type) && !find_type(type))
        return fail("section '{}' has relocations of type {}, which is unknown", table_.name, type);
      const size_t size = known_.size;
      if (symbol >= symbol_count || offset > bytes_.size() || size > bytes_.size() - offset)
        return fail("section '{}': the relocation at {:#x} is outside", table_.name, offset);
      std::byte* place = bytes_.data() + offset;
      const std::byte* addend = has_addends ? &entries[at + 2 * word] : place;
      uint64_t value = elf_.symbol(symbols, symbol).st_value;
      if (size != 0) value += load_number(addend, has_addends ? word : size);
      if (size == 8) store(place, value, elf_.order);
      if (size == 4) store(place, static_cast<uint32_t>(value), elf_.order);
    }
    return {};
  }

 private:
  uint64_t load_number(const std::byte* from, size_t size) const {
    return size == 8 ? load<uint64_t>(from, elf_.order) : load<uint32_t>(from, elf_.order);
  }

  bool find_type(uint32_t type) {
    for (const StoredAddress& row : stored_addresses)
      if (row.machine == elf_.machine && row.type <= type && type <= row.last_type) {
        known_ = row;
        return true;
      }
    return false;
  }

  const ElfFile& elf_;
  const ElfSection& table_;
  std::span<std::byte> bytes_;
  StoredAddress known_{};  ///< of the last type
};

/// Reads sections of a file.
class SectionReader {
 public:
  SectionReader(const ElfFile& elf, std::vector<OwnedBytes>& changed)
      : elf_(elf), changed_(changed), limit_(DecompressionLimit::of_types(elf.image.size())) {
    for (const ElfSection& table : elf.sections)
      if (elf.type == ET_REL && (table.type == SHT_RELA || table.type == SHT_REL))
        tables_.emplace(table.info, &table);
  }

  std::expected<Bytes, Error> read(size_t index, bool is_relocated) {
    const ElfSection& section = elf_.sections[index];
    Bytes contents = elf_.contents(section);
    if ((section.flags & SHF_COMPRESSED) != 0) {
      auto whole = TRY(decompress_section(elf_, section, limit_));
      contents = changed_.emplace_back(std::move(whole)).bytes;
    } else if (auto ok = check_contents(section); !ok) {
      return std::unexpected(ok.error());
    }
    auto [first, last] = tables_.equal_range(index);
    if (first == last || !is_relocated) return contents;
    // One copy for any number of tables.
    std::vector<std::byte> copy(contents.begin(), contents.end());
    for (; first != last; ++first) TRY(Relocator(elf_, *first->second, copy).run());
    return changed_.emplace_back(OwnedBytes::of(std::move(copy))).bytes;
  }

 private:
  const ElfFile& elf_;
  std::vector<OwnedBytes>& changed_;
  DecompressionLimit limit_;
  std::multimap<size_t, const ElfSection*> tables_;  ///< relocations by the index of their section
};

}  // namespace

std::expected<void, Error> ElfDwarf::add(const ElfFile& elf, const std::string& prefix,
                                         std::string_view suffix) {
  SectionReader reader(elf, changed);
  DwarfSections common{.order = elf.order};
  common.is_split = !suffix.empty();
  const size_t before = files.size();
  auto name_of = [&](std::string_view name) { return std::string(name).append(suffix); };
  for (auto [name, bytes, is_relocated, has_suffix] : named_sections)
    if (auto index = elf.find(has_suffix ? name_of(name) : name))
      common.*bytes = TRY(reader.read(*index, is_relocated));
  // In an object, each type may have a section of its own.
  const std::string entries = name_of(".debug_info"), types = name_of(".debug_types");
  for (size_t i = 0; i < elf.sections.size(); ++i) {
    const ElfSection& section = elf.sections[i];
    if (section.name != entries && section.name != types) continue;
    Bytes contents = TRY(reader.read(i, true));
    DwarfSections& set = files.emplace_back(common);
    set.info = contents;
    set.place = prefix + std::string(section.name);
    set.has_old_type_units = section.name == types;
    // A package has one section of each kind, and one index for all units.
    if (files.size() - before > 2) set.unit_index = set.type_index = {};
  }
  if (files.size() == before) return fail("has no section {}", entries);
  return {};
}

}  // namespace bpflink
