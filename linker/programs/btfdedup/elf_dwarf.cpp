// Finds the sections of DWARF, and makes them readable.
//
// In an object or a module, offsets of strings and addresses are relocations. Only sections that
// types and functions are read from are copied and relocated. A location list needs none: what is
// read of it are registers.
#include "linker/programs/btfdedup/elf_dwarf.hpp"

#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/files/elf_handle.hpp"
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
};

constexpr NamedSection named_sections[] = {
    {".debug_info", &DwarfSections::info, true},
    {".debug_abbrev", &DwarfSections::abbreviations, false},
    {".debug_str", &DwarfSections::strings, false},
    {".debug_line_str", &DwarfSections::line_strings, false},
    {".debug_str_offsets", &DwarfSections::string_offsets, true},
    {".debug_addr", &DwarfSections::addresses, true},
    {".debug_loclists", &DwarfSections::location_lists, false},
    {".debug_loc", &DwarfSections::old_location_lists, false},
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

/// Decompresses sections.
class Decompressor {
 public:
  explicit Decompressor(const ElfFile& elf)
      : elf_(elf), limit_(DecompressionLimit::of_types(elf.image.size())) {}

  std::expected<std::vector<std::byte>, Error> run(const ElfSection& section, size_t index) {
    constexpr uint32_t zstd = 2;  // ELFCOMPRESS_ZSTD
    Bytes contents = elf_.contents(section);
    const size_t header_size = elf_.is_64_bit ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
    if (contents.size() >= header_size && load<uint32_t>(contents.data(), elf_.order) == zstd) {
      auto bytes = decompress(contents.subspan(header_size), limit_);
      if (!bytes) return fail("section '{}': {}", section.name, bytes.error().message);
      return std::vector(bytes->bytes.begin(), bytes->bytes.end());
    }
    return run_libelf(section, index);
  }

 private:
  /// libelf, of which older versions only know zlib, does it in a copy of the file.
  std::expected<std::vector<std::byte>, Error> run_libelf(const ElfSection& section, size_t index) {
    if (!handle_) {
      copy_.assign(elf_.image.begin(), elf_.image.end());
      handle_.reset(elf_memory(reinterpret_cast<char*>(copy_.data()), copy_.size()));
    }
    Elf_Scn* found = handle_ ? elf_getscn(handle_.get(), index) : nullptr;
    GElf_Chdr header;
    const Elf_Data* data = nullptr;
    const bool has_header = found && gelf_getchdr(found, &header);
    if (has_header && header.ch_size > limit_.left())
      return fail("section '{}': {}", section.name, describe_excess(limit_.left()));
    if (has_header && elf_compress(found, 0, 0) >= 0) data = elf_getdata(found, nullptr);
    if (!data) return fail("section '{}' is compressed in a way that cannot be read", section.name);
    const auto* bytes = static_cast<const std::byte*>(data->d_buf);
    limit_.take(data->d_size);
    return std::vector(bytes, bytes + data->d_size);
  }

  const ElfFile& elf_;
  DecompressionLimit limit_;
  std::vector<std::byte> copy_;
  ElfHandle handle_;
};

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

}  // namespace

std::expected<ElfDwarf, Error> read_elf_dwarf(const ElfFile& elf) {
  ElfDwarf dwarf;
  dwarf.sections.order = elf.order;
  Decompressor decompressor(elf);
  for (auto [name, bytes, is_relocated] : named_sections) {
    auto index = elf.find(name);
    if (!index) continue;
    const ElfSection& section = elf.sections[*index];
    Bytes& contents = dwarf.sections.*bytes;
    contents = elf.contents(section);
    if ((section.flags & SHF_COMPRESSED) != 0) {
      auto whole = TRY(decompressor.run(section, *index));
      contents = dwarf.changed.emplace_back(std::move(whole));
    } else if (auto ok = check_contents(section); !ok) {
      return std::unexpected(ok.error());
    }
    if (elf.type != ET_REL || !is_relocated) continue;
    std::vector<std::byte>* copy = nullptr;  // one for any number of tables
    for (const ElfSection& table : elf.sections) {
      if ((table.type != SHT_RELA && table.type != SHT_REL) || table.info != *index) continue;
      if (!copy) copy = &dwarf.changed.emplace_back(contents.begin(), contents.end());
      TRY(Relocator(elf, table, *copy).run());
      contents = *copy;
    }
  }
  return dwarf;
}

}  // namespace bpflink
