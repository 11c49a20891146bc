#include "linker/files/object_file.hpp"

#include <fmt/format.h>
#include <gelf.h>
#include <sys/stat.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/files/alignment.hpp"
#include "linker/files/elf_handle.hpp"
#include "linker/files/elf_kind.hpp"
#include "linker/files/gas_dialect.hpp"
#include "linker/files/object_types.hpp"
#include "linker/files/shared_names.hpp"
#include "linker/files/symbols_by_place.hpp"
#include "linker/io/bytes.hpp"
#include "linker/io/decompression_limit.hpp"

namespace bpflink {
namespace {

/// The largest page size: loaders align nothing beyond a page, and the output may be padded by as
/// many bytes.
constexpr uint64_t max_alignment = 64 << 10;

bool is_btf(SectionRole role) {
  return role == SectionRole::Btf || role == SectionRole::BtfExt;
}

/// The use of a section according to its header. link_empty_section() makes an exception for an
/// empty .text with a symbol.
SectionUse use_of_section(const ElfSection& section, SectionRole role, ReadOptions options) {
  switch (section.type) {
    case SHT_NULL:
    case SHT_SYMTAB:
    case SHT_STRTAB:
    case SHT_REL:
    case SHT_RELA:
    case SHT_SYMTAB_SHNDX:
      return SectionUse::Rebuild;
    case SHT_PROGBITS:
    case SHT_NOBITS:
      break;
    default:
      return SectionUse::Drop;
  }
  if (is_btf(role)) return SectionUse::Rebuild;
  if (section.flags & SHF_EXCLUDE) return SectionUse::Drop;
  if (role == SectionRole::Dwarf) return options.keep_debug ? SectionUse::Link : SectionUse::Drop;
  bool is_empty_text = role == SectionRole::Text && section.size == 0;
  return role == SectionRole::Comment || is_empty_text ? SectionUse::Drop : SectionUse::Link;
}

/// An entry of a relocation section; in SHT_REL it has no addend.
Elf64_Rela load_relocation(const std::byte* entry, bool has_addend, std::endian order) {
  auto field = [&](size_t offset) { return load<uint64_t>(entry + offset, order); };
  return {.r_offset = field(offsetof(Elf64_Rela, r_offset)),
          .r_info = field(offsetof(Elf64_Rela, r_info)),
          .r_addend = has_addend ? static_cast<int64_t>(field(offsetof(Elf64_Rela, r_addend))) : 0};
}

/// Reads one object; its steps are the calls in read().
class ObjectReader {
 public:
  ObjectReader(ObjectFile& object, ReadOptions options) : object_(object), options_(options) {}

  std::expected<void, Error> read() {
    if (std::string foreign = describe_foreign_file(object_.image); !foreign.empty())
      return fail("is not a BPF object but: {}", foreign);
    auto elf = TRY(read_elf(object_.image));
    elf_ = std::move(elf);
    if (elf_.sections.size() == 1) return fail("has no section headers");
    object_.byte_order = elf_.order;
    for (auto step : {&ObjectReader::read_sections, &ObjectReader::read_symbols,
                      &ObjectReader::read_relocations})
      TRY((this->*step)());
    return read_object_types(object_, options_);
  }

 private:
  std::expected<void, Error> read_sections() {
    object_.sections.resize(elf_.sections.size());
    object_.sections[0].file = &object_;
    for (uint32_t i = 1; i < elf_.sections.size(); ++i) TRY(read_section(i));
    object_.index_sections();
    return {};
  }

  std::expected<void, Error> read_section(uint32_t index) {
    const ElfSection& header = elf_.sections[index];
    if (header.alignment != 0 &&
        (!std::has_single_bit(header.alignment) || header.alignment > max_alignment))
      return fail("section '{}' has alignment {:#x}, expected a power of two up to {:#x}",
                  header.name, header.alignment, max_alignment);
    InputSection& section = object_.sections[index];
    static_cast<ElfSection&>(section) = header;
    section.alignment = std::max<uint64_t>(header.alignment, 1);
    section.flags &= ~uint64_t{SHF_GROUP};
    section.file = &object_;
    section.index = index;
    section.role = role_of(header.name, header.type, header.flags);
    section.use = use_of_section(header, section.role, options_);
    section.data = elf_.contents(header);
    if (!section.is_linked()) return {};
    if (section.flags & SHF_COMPRESSED) TRY(decompress(section));
    if (section.size > UINT32_MAX)
      return fail("section '{}' has {:#x} bytes, but BPF can address only 4 GiB", section.name,
                  section.size);
    if (section.is_code() && section.size != 0) TRY(check_contents(section));
    if (section.is_code() && section.size % insn_size != 0)
      return fail("code section '{}' has {:#x} bytes, expected whole instructions of 8",
                  section.name, section.size);
    section.fragments.push_back({0, section.size});
    return {};
  }

  /// Compilers compress DWARF alone. libelf changes what it decompresses: it gets a copy.
  /// Sections may share bytes of a hostile file, so that the sum of their sizes is limited too.
  std::expected<void, Error> decompress(InputSection& section) {
    if (section.role != SectionRole::Dwarf) return check_contents(section);
    if (!libelf_) {
      copy_.assign(object_.image.begin(), object_.image.end());
      libelf_.reset(elf_memory(reinterpret_cast<char*>(copy_.data()), copy_.size()));
    }
    Elf_Scn* found = libelf_ ? elf_getscn(libelf_.get(), section.index) : nullptr;
    GElf_Chdr header;
    if (!found || !gelf_getchdr(found, &header) || header.ch_size > limit_.left() ||
        header.ch_addralign > max_alignment ||
        (header.ch_addralign & (header.ch_addralign - 1)) != 0 || elf_compress(found, 0, 0) < 0)
      return fail("section '{}' is compressed in a way that cannot be read", section.name);
    const Elf_Data* data = elf_getdata(found, nullptr);
    if (!data) return fail("section '{}' is compressed in a way that cannot be read", section.name);
    const auto* bytes = static_cast<const std::byte*>(data->d_buf);
    section.data = object_.decompressed.emplace_front(bytes, bytes + data->d_size);
    section.size = section.data.size();
    limit_.take(section.size);
    section.alignment = std::max<uint64_t>(header.ch_addralign, 1);
    section.flags &= ~uint64_t{SHF_COMPRESSED};
    return {};
  }

  std::expected<void, Error> read_symbols() {
    const InputSection* table = find_table(SHT_SYMTAB);
    if (!table) return fail("has no symbol table");
    if (table->entry_size != sizeof(Elf64_Sym) || table->size % sizeof(Elf64_Sym) != 0)
      return fail("symbol table has {:#x} bytes with entries of {}, expected entries of {}",
                  table->size, table->entry_size, sizeof(Elf64_Sym));
    if (table->link >= object_.sections.size() || object_.sections[table->link].type != SHT_STRTAB)
      return fail("symbol table's string table index {} is not a string table's", table->link);
    const InputSection& names = object_.sections[table->link];
    size_t count = table->size / sizeof(Elf64_Sym);
    const InputSection* extended = find_table(SHT_SYMTAB_SHNDX);
    if (extended && extended->size / sizeof(Elf64_Word) < count)
      return fail("extended section index table is shorter than the symbol table");
    object_.symbols.resize(std::max<size_t>(count, 1));
    for (size_t i = 1; i < count; ++i) {
      const Elf64_Sym entry = elf_.symbol(*table, i);
      uint32_t section = entry.st_shndx;
      if (section == SHN_XINDEX && extended)
        section = load<uint32_t>(&extended->data[i * sizeof(Elf64_Word)], object_.byte_order);
      else if (section >= SHN_LORESERVE)
        section = 0;
      TRY(read_symbol(i, entry, section, names));
    }
    return {};
  }

  std::expected<void, Error> read_symbol(size_t index, const Elf64_Sym& entry, uint32_t section,
                                         const InputSection& names) {
    InputSymbol& symbol = object_.symbols[index];
    auto name = elf_.string(names, entry.st_name);
    if (!name) return fail("name of symbol {} is outside the string table", index);
    TRY(shared_names_.add(elf_.contents(names), entry.st_name, *name));
    symbol.name = *name;
    symbol.value = entry.st_value;
    symbol.size = entry.st_size;
    symbol.type = ELF64_ST_TYPE(entry.st_info);
    symbol.binding = ELF64_ST_BIND(entry.st_info);
    symbol.visibility = ELF64_ST_VISIBILITY(entry.st_other);
    if (symbol.binding != STB_LOCAL && symbol.binding != STB_GLOBAL && symbol.binding != STB_WEAK)
      return fail("symbol '{}' has unknown binding {}", symbol.name, symbol.binding);
    if (symbol.binding != STB_LOCAL && symbol.name.empty())
      return fail("global symbol {} has no name", index);
    switch (entry.st_shndx) {
      case SHN_UNDEF:
        return {};
      case SHN_ABS:
        symbol.is_absolute = true;
        return {};
      case SHN_COMMON:
        return fail("symbol '{}' is a common symbol: compile with -fno-common", symbol.name);
      default:
        break;
    }
    if (section == 0 || section >= object_.sections.size())
      return fail("symbol '{}' is in section {}, the last is {}", symbol.name,
                  section == 0 ? entry.st_shndx : section, object_.sections.size() - 1);
    if (symbol.type == STT_FILE)
      return fail("symbol '{}' is the name of a file, and in section {}", symbol.name, section);
    symbol.section = section;
    InputSection& holder = object_.sections[section];
    if (holder.role == SectionRole::JumpTables) symbol.binding = STB_LOCAL;
    bool is_at_code = holder.is_code() && symbol.value < holder.data.size();
    if (symbol.type == STT_FUNC && (symbol.value % insn_size != 0 || symbol.size % insn_size != 0 ||
                                    (is_at_code && !is_instruction(holder.data, symbol.value))))
      return fail("function '{}' at {:#x} with {:#x} bytes does not consist of instructions",
                  symbol.name, symbol.value, symbol.size);
    // An empty .text with a symbol is needed: the symbol refers to it.
    if (!symbol.is_section() && holder.type == SHT_PROGBITS && holder.role == SectionRole::Text)
      link_empty_section(holder);
    if (symbol.value > holder.size || symbol.size > holder.size - symbol.value)
      return fail(
          "symbol '{}' at {:#x} with {:#x} bytes is outside its section '{}' of {:#x} bytes",
          symbol.name, symbol.value, symbol.size, holder.name, holder.size);
    return {};
  }

  static void link_empty_section(InputSection& section) {
    if (section.use != SectionUse::Drop || section.size != 0) return;
    section.use = SectionUse::Link;
    section.fragments.push_back({0, 0});
  }

  std::expected<void, Error> read_relocations() {
    for (const InputSection& section : object_.sections) {
      if (section.type != SHT_REL && section.type != SHT_RELA) continue;
      if (section.info == 0 || section.info >= object_.sections.size())
        return fail("relocation section '{}' is for section {}, the last is {}", section.name,
                    section.info, object_.sections.size() - 1);
      InputSection& target = object_.sections[section.info];
      if (!target.is_linked() && !is_btf(target.role)) {
        note_types(section);
        continue;
      }
      TRY(read_relocation_section(section, target));
    }
    auto with_values = TRY(fields_include_values(object_, elf_, data_types_));
    if (with_values) subtract_symbol_values(object_);
    return {};
  }

  /// Notes the types of relocations of a section that is not linked, such as DWARF. One tells.
  void note_types(const InputSection& section) {
    if (section.size < sizeof(Elf64_Rel)) return;
    Elf64_Rela entry = load_relocation(section.data.data(), false, object_.byte_order);
    data_types_.standardize(ELF64_R_TYPE(entry.r_info));
  }

  std::expected<void, Error> read_relocation_section(const InputSection& section,
                                                     InputSection& target) {
    bool explicit_addends = section.type == SHT_RELA;
    size_t entry_size = explicit_addends ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    if (section.entry_size != entry_size || section.size % entry_size != 0)
      return fail(
          "relocation section '{}' has {:#x} bytes with entries of {}, expected entries of {}",
          section.name, section.size, section.entry_size, entry_size);
    if (section.size == 0) return {};
    if (explicit_addends && is_btf(target.role))
      return fail("relocation section '{}' has addends, but those of {} are in its bytes",
                  section.name, target.name);
    if (target.data.size() != target.size)
      return fail("relocation section '{}' is for a section without bytes", section.name);
    target.relocations.reserve(target.relocations.size() + section.size / entry_size);
    for (size_t at = 0; at < section.size; at += entry_size) {
      Elf64_Rela entry = load_relocation(&section.data[at], explicit_addends, object_.byte_order);
      uint32_t type = data_types_.standardize(ELF64_R_TYPE(entry.r_info));
      entry.r_info = ELF64_R_INFO(ELF64_R_SYM(entry.r_info), type);
      auto relocation = TRY(read_relocation(entry, explicit_addends, target));
      if (relocation.type != R_BPF_NONE) target.relocations.push_back(relocation);
    }
    auto by_offset = [](const Relocation& a, const Relocation& b) { return a.offset < b.offset; };
    if (!std::is_sorted(target.relocations.begin(), target.relocations.end(), by_offset))
      std::stable_sort(target.relocations.begin(), target.relocations.end(), by_offset);
    return check_overlap(target);
  }

  static std::expected<void, Error> check_overlap(const InputSection& section) {
    uint64_t end = 0;
    for (const Relocation& relocation : section.relocations) {
      if (relocation.offset < end)
        return fail("relocation {} at {}+{:#x} overlaps the one before it",
                    relocation_name(relocation.type), section.name, relocation.offset);
      end = relocation.offset + *relocation_extent(relocation.type);
    }
    return {};
  }

  std::expected<Relocation, Error> read_relocation(const Elf64_Rela& entry, bool explicit_addend,
                                                   const InputSection& target) const {
    Relocation relocation{entry.r_offset, entry.r_addend,
                          static_cast<uint32_t>(ELF64_R_TYPE(entry.r_info)),
                          static_cast<uint32_t>(ELF64_R_SYM(entry.r_info))};
    auto extent = relocation_extent(relocation.type);
    if (!extent)
      return fail("relocation at {}+{:#x} has unknown type {}", target.name, relocation.offset,
                  relocation.type);
    if (relocation.offset > target.size || *extent > target.size - relocation.offset)
      return fail("relocation {} at {}+{:#x} is outside its section of {:#x} bytes",
                  relocation_name(relocation.type), target.name, relocation.offset, target.size);
    if (relocation.type == R_BPF_NONE) return relocation;
    if (relocation.symbol == 0 || relocation.symbol >= object_.symbols.size())
      return fail("relocation at {}+{:#x} refers to symbol {}, the last is {}", target.name,
                  relocation.offset, relocation.symbol, object_.symbols.size() - 1);
    const std::byte* at = target.data.data() + relocation.offset;
    if (target.is_code())
      if (auto ok = check_relocated_insn(relocation, target, load_insn(at, object_.byte_order));
          !ok)
        return std::unexpected(ok.error());
    if (!target.is_code() && (relocation.type == R_BPF_64_64 || relocation.type == R_BPF_64_32))
      return fail("relocation {} at {}+{:#x} is for an instruction, but the section is not code",
                  relocation_name(relocation.type), target.name, relocation.offset);
    if (!explicit_addend) relocation.addend = load_addend(relocation.type, at, object_.byte_order);
    // An offset of 2 GiB or more looks negative in the 32 bits of an immediate.
    const InputSymbol& symbol = object_.symbols[relocation.symbol];
    if (symbol.names_section() && relocation.addend < 0 &&
        static_cast<uint32_t>(relocation.addend) <= object_.sections[symbol.section].size)
      relocation.addend = static_cast<uint32_t>(relocation.addend);
    return relocation;
  }

  static std::expected<void, Error> check_relocated_insn(const Relocation& relocation,
                                                         const InputSection& target, Insn insn) {
    bool fits = (relocation.type == R_BPF_64_64 && insn.is_ld_imm64()) ||
                (relocation.type == R_BPF_64_32 && insn.is_call());
    if (fits && relocation.offset % insn_size == 0) return {};
    return fail("relocation {} at {}+{:#x} is not at an instruction of its type",
                relocation_name(relocation.type), target.name, relocation.offset);
  }

  /// The first section of that type, or null.
  const InputSection* find_table(uint32_t type) const {
    auto found = std::ranges::find(object_.sections, type, &InputSection::type);
    return found == object_.sections.end() ? nullptr : &*found;
  }

  ObjectFile& object_;
  ReadOptions options_;
  std::vector<std::byte> copy_;  ///< the image, for libelf_
  ElfHandle libelf_;
  SharedNames shared_names_;  ///< of symbols
  DecompressionLimit limit_ =
      DecompressionLimit::of_object(object_.image.size());  ///< for all sections together
  ElfFile elf_;
  DataTypes data_types_;
};

}  // namespace

std::expected<std::unique_ptr<ObjectFile>, Error> ObjectFile::read(std::string name,
                                                                   std::span<const std::byte> image,
                                                                   ReadOptions options) {
  auto object = std::make_unique<ObjectFile>();
  object->name = std::move(name);
  object->image = image;
  TRY(ObjectReader(*object, options).read());
  return object;
}

void ObjectFile::index_sections() {
  sections_by_name.resize(sections.size());
  std::iota(sections_by_name.begin(), sections_by_name.end(), 0);
  std::ranges::stable_sort(sections_by_name, {},
                           [this](uint32_t index) { return name_key(sections[index].name); });
}

const SymbolsByPlace& ObjectFile::by_place() const {
  if (!by_place_) by_place_ = std::make_shared<const SymbolsByPlace>(symbols);
  return *by_place_;
}

std::string ObjectFile::describe_place(std::string_view section, uint64_t offset) const {
  return fmt::format("{}:({}+{:#x})", name, section, offset);
}

const std::string& ObjectFile::newer_source() const {
  if (newer_source_) return *newer_source_;
  newer_source_.emplace();
  auto time_of = [](const std::string& path) -> std::optional<std::pair<time_t, long>> {
    struct stat status;
    if (path.empty() || ::stat(path.c_str(), &status) != 0) return std::nullopt;
    return std::pair(status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  };
  auto own = time_of(name.substr(0, name.find('(')));  // of a member of an archive, the archive's
  if (!own) return *newer_source_;
  const auto& files = dwarf_lines().files;
  auto newer = std::ranges::find_if(files, [&](const std::string& file) {
    auto time = time_of(file);
    return time && *time > *own;
  });
  if (newer != files.end()) newer_source_ = *newer;
  return *newer_source_;
}

}  // namespace bpflink
