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
    {EM_RISCV, R_RISCV_ADD32, 0},
    {EM_RISCV, R_RISCV_SUB32, 0},
    {EM_RISCV, R_RISCV_ADD64, 0},
    {EM_RISCV, R_RISCV_SUB64, 0},
    {EM_RISCV, R_RISCV_ADD16, 0},
    {EM_RISCV, R_RISCV_SUB16, 0},
    {EM_RISCV, R_RISCV_ADD8, 0},
    {EM_RISCV, R_RISCV_SUB8, 0},
    {EM_RISCV, R_RISCV_SET6, 0},
    {EM_RISCV, R_RISCV_SUB6, 0},
    {EM_MIPS, R_MIPS_64, 8},
    {EM_MIPS, R_MIPS_32, 4},
    {EM_SPARCV9, R_SPARC_UA64, 8},
    {EM_SPARCV9, R_SPARC_UA32, 4},
    {EM_BPF, 2, 8},
    {EM_BPF, 3, 4},  // R_BPF_64_ABS64, R_BPF_64_ABS32
};

/// A relocation of either class.
struct Relocation {
  uint64_t offset = 0;
  uint32_t symbol = 0, type = 0;
  int64_t addend = 0;
};

template <typename Entry>
Relocation load_relocation(const std::byte* from, std::endian order) {
  auto field = [&]<typename Number>(Number Entry::*, size_t offset) {
    return load<Number>(from + offset, order);
  };
  auto info = field(&Entry::r_info, offsetof(Entry, r_info));
  Relocation relocation{.offset = field(&Entry::r_offset, offsetof(Entry, r_offset))};
  if constexpr (sizeof info == 8) {
    relocation.symbol = static_cast<uint32_t>(info >> 32);
    relocation.type = static_cast<uint32_t>(info);
  } else {
    relocation.symbol = info >> 8;
    relocation.type = info & 0xff;
  }
  if constexpr (requires(Entry entry) { entry.r_addend; })
    relocation.addend = field(&Entry::r_addend, offsetof(Entry, r_addend));
  return relocation;
}

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
    bool has_addends = table_.type == SHT_RELA;
    if (elf_.is_64_bit) return has_addends ? apply<Elf64_Rela>() : apply<Elf64_Rel>();
    return has_addends ? apply<Elf32_Rela>() : apply<Elf32_Rel>();
  }

 private:
  template <typename Entry>
  std::expected<void, Error> apply() {
    Bytes entries = elf_.contents(table_);
    if (table_.link >= elf_.sections.size() || table_.entry_size != sizeof(Entry))
      return fail("section '{}' is malformed", table_.name);
    const ElfSection& symbols = elf_.sections[table_.link];
    size_t symbol_count = elf_.contents(symbols).size() / elf_.symbol_size();
    for (size_t at = 0; at + sizeof(Entry) <= entries.size(); at += sizeof(Entry)) {
      Relocation relocation = load_relocation<Entry>(&entries[at], elf_.order);
      if (relocation.type == 0) continue;
      if (known_.type != relocation.type && !find_type(relocation.type))
        return fail("section '{}' has relocations of type {}, which is unknown", table_.name,
                    relocation.type);
      size_t size = known_.size;
      if (relocation.symbol >= symbol_count || relocation.offset > bytes_.size() ||
          size > bytes_.size() - relocation.offset)
        return fail("section '{}': the relocation at {:#x} is outside", table_.name,
                    relocation.offset);
      uint64_t value = elf_.symbol(symbols, relocation.symbol).st_value +
                       static_cast<uint64_t>(relocation.addend);
      std::byte* place = bytes_.data() + relocation.offset;
      constexpr bool is_in_place = !requires(Entry entry) {
        entry.r_addend;
      };
      if (size == 8)
        store(place, value + (is_in_place ? load<uint64_t>(place, elf_.order) : 0), elf_.order);
      if (size == 4)
        store(place,
              static_cast<uint32_t>(value + (is_in_place ? load<uint32_t>(place, elf_.order) : 0)),
              elf_.order);
    }
    return {};
  }

  bool find_type(uint32_t type) {
    for (const StoredAddress& row : stored_addresses)
      if (row.machine == elf_.machine && row.type == type) {
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
  }
  if (files.size() == before) return fail("has no section {}", entries);
  return {};
}

}  // namespace bpflink
