#include "linker/elf/object_file.hpp"

#include <fmt/format.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>

#include "linker/elf/alignment.hpp"
#include "linker/elf/elf_kind.hpp"
#include "linker/elf/gas_dialect.hpp"
#include "linker/elf/object_types.hpp"
#include "linker/error.hpp"

namespace bpflink {
namespace {

/// The largest page: loaders align nothing better than to a page, and the output
/// is padded with as many bytes.
constexpr uint64_t max_alignment = 64 << 10;

CodeTable code_table_of(std::string_view name, const Elf64_Shdr& header) {
  if (header.sh_type != SHT_PROGBITS || header.sh_flags & SHF_EXECINSTR) return CodeTable::None;
  if (name == ".jumptables") return CodeTable::JumpTables;
  if (name == ".bpf_cleanup") return CodeTable::Cleanups;
  if (name == ".eh_frame") return CodeTable::Frames;
  return name == ".gcc_except_table" ? CodeTable::Exceptions : CodeTable::None;
}

/// An entry of a table that libelf has converted; it need not be aligned.
template <typename Entry>
Entry table_entry(const Elf_Data& data, size_t index) {
  Entry entry;
  std::memcpy(&entry, static_cast<const std::byte*>(data.d_buf) + index * sizeof entry,
              sizeof entry);
  return entry;
}

/// Reads one object; its steps are the calls in read().
class ObjectReader {
 public:
  ObjectReader(ObjectFile& object, std::span<const std::byte> image, ReadOptions options)
      : object_(object), image_(image), options_(options) {}
  ~ObjectReader() { elf_end(elf_); }
  ObjectReader(const ObjectReader&) = delete;
  ObjectReader& operator=(const ObjectReader&) = delete;

  std::expected<void, Error> read() {
    object_.image = image_;
    if (std::string foreign = describe_foreign_file(image_); !foreign.empty())
      return fail("is not a BPF object but: {}", foreign);
    for (auto step : {&ObjectReader::open, &ObjectReader::read_sections,
                      &ObjectReader::read_symbols, &ObjectReader::read_relocations})
      if (auto ok = (this->*step)(); !ok) return ok;
    return read_object_types(object_);
  }

 private:
  std::expected<void, Error> open() {
    elf_version(EV_CURRENT);
    // libelf wants a writable pointer but only reads.
    elf_ =
        elf_memory(const_cast<char*>(reinterpret_cast<const char*>(image_.data())), image_.size());
    const void* start = elf_ ? elf64_getehdr(elf_) : nullptr;  // may stand at any address
    if (!start) return fail("unreadable ELF header: {}", elf_errmsg(-1));
    Elf64_Ehdr header;
    std::memcpy(&header, start, sizeof header);
    object_.byte_order =
        header.e_ident[EI_DATA] == ELFDATA2LSB ? std::endian::little : std::endian::big;
    if (header.e_shoff == 0) return fail("has no section headers");
    if (elf_getshdrnum(elf_, &section_count_) != 0 || section_count_ == 0)
      return fail("section headers at offset {:#x} are outside the file of {:#x} bytes",
                  header.e_shoff, image_.size());
    if (elf_getshdrstrndx(elf_, &section_names_) != 0 || section_names_ >= section_count_)
      return fail("section name table index {} is not that of a section, the last is {}",
                  header.e_shstrndx, section_count_ - 1);
    return {};
  }

  std::expected<void, Error> read_sections() {
    headers_.resize(section_count_);
    for (size_t i = 0; i < section_count_; ++i) {
      const void* header = elf64_getshdr(elf_getscn(elf_, i));  // may stand at any address
      if (!header) return fail("section header {} is outside the file", i);
      std::memcpy(&headers_[i], header, sizeof headers_[i]);
      const Elf64_Shdr& h = headers_[i];
      if (h.sh_type == SHT_NOBITS || h.sh_type == SHT_NULL) continue;
      if (h.sh_offset > image_.size() || h.sh_size > image_.size() - h.sh_offset)
        return fail(
            "section {} at offset {:#x} with {:#x} bytes is outside the file of {:#x} bytes", i,
            h.sh_offset, h.sh_size, image_.size());
    }
    if (headers_[section_names_].sh_type != SHT_STRTAB)
      return fail("section name table index {} is not that of a string table", section_names_);
    object_.header_count = section_count_;
    names_.resize(section_count_);
    indexes_.resize(section_count_);
    size_t kept = 1;
    for (size_t i = 1; i < section_count_; ++i) {
      auto name = string_at(section_names_, headers_[i].sh_name);
      if (!name) return fail("name of section {} is outside the section name table", i);
      names_[i] = *name;
      kept += is_kept(i);
    }
    object_.sections.reserve(kept);
    object_.sections.emplace_back().file = &object_;
    for (size_t i = 1; i < section_count_; ++i)
      if (auto ok = read_section(i); !ok) return ok;
    return {};
  }

  SectionUse use_of(size_t index) const {
    const Elf64_Shdr& header = headers_[index];
    return use_of_section(names_[index], header.sh_type, header.sh_flags, header.sh_size, options_);
  }

  bool is_kept(size_t index) const {
    std::string_view name = names_[index];
    return use_of(index) == SectionUse::Link || name == ".text" || name == ".BTF" ||
           name == ".BTF.ext";
  }

  std::span<const std::byte> contents_of(const Elf64_Shdr& header) const {
    if (header.sh_type == SHT_NOBITS || header.sh_type == SHT_NULL) return {};
    return image_.subspan(header.sh_offset, header.sh_size);
  }

  /// Adds a section to those of the object.
  InputSection& keep_section(size_t index) {
    const Elf64_Shdr& header = headers_[index];
    indexes_[index] = static_cast<uint32_t>(object_.sections.size());
    InputSection& section = object_.sections.emplace_back();
    section.file = &object_;
    section.index = indexes_[index];
    section.header_index = static_cast<uint32_t>(index);
    section.name = names_[index];
    section.use = use_of(index);
    section.code_table = code_table_of(section.name, header);
    section.type = header.sh_type;
    section.flags = header.sh_flags & ~uint64_t{SHF_GROUP};
    section.alignment = std::max<uint64_t>(header.sh_addralign, 1);
    section.entry_size = header.sh_entsize;
    section.size = header.sh_size;
    section.data = contents_of(header);
    return section;
  }

  std::expected<void, Error> read_section(size_t index) {
    uint64_t alignment = headers_[index].sh_addralign;
    if (alignment != 0 && (!std::has_single_bit(alignment) || alignment > max_alignment))
      return fail("section '{}' has alignment {:#x}, expected a power of two up to {:#x}",
                  names_[index], alignment, max_alignment);
    if (!is_kept(index)) return {};
    InputSection& section = keep_section(index);
    if (!section.is_linked()) return {};
    if (section.flags & SHF_COMPRESSED) return fail("section '{}' is compressed", section.name);
    if (section.size > UINT32_MAX)
      return fail("section '{}' has {:#x} bytes, BPF addresses up to 4 GiB", section.name,
                  section.size);
    if (section.is_code() && (section.is_nobits() || section.size % insn_size != 0))
      return fail("code section '{}' has {:#x} bytes, expected whole instructions of 8",
                  section.name, section.size);
    section.fragments.push_back({0, section.size});
    return {};
  }

  std::expected<void, Error> read_symbols() {
    size_t table = find_table(SHT_SYMTAB);
    if (table == 0) return fail("has no symbol table");
    const Elf64_Shdr& header = headers_[table];
    if (header.sh_entsize != sizeof(Elf64_Sym) || header.sh_size % sizeof(Elf64_Sym) != 0)
      return fail("symbol table has {:#x} bytes with entries of {}, expected entries of {}",
                  header.sh_size, header.sh_entsize, sizeof(Elf64_Sym));
    if (header.sh_link >= section_count_ || headers_[header.sh_link].sh_type != SHT_STRTAB)
      return fail("symbol table's string table index {} is not that of a string table",
                  header.sh_link);
    const Elf_Data* data = elf_getdata(elf_getscn(elf_, table), nullptr);
    size_t count = header.sh_size / sizeof(Elf64_Sym);
    if (count > 0 && (!data || data->d_size != header.sh_size))
      return fail("unreadable symbol table: {}", elf_errmsg(-1));
    const Elf_Data* extended = nullptr;
    if (size_t shndx = find_table(SHT_SYMTAB_SHNDX); shndx != 0) {
      extended = elf_getdata(elf_getscn(elf_, shndx), nullptr);
      if (!extended || extended->d_size / sizeof(Elf64_Word) < count)
        return fail("extended section index table is shorter than the symbol table");
    }
    object_.symbols.resize(std::max<size_t>(count, 1));
    for (size_t i = 1; i < count; ++i) {
      const auto entry = table_entry<Elf64_Sym>(*data, i);
      uint32_t section = entry.st_shndx;
      if (section == SHN_XINDEX && extended)
        section = table_entry<Elf64_Word>(*extended, i);
      else if (section >= SHN_LORESERVE)
        section = 0;
      if (auto ok = read_symbol(i, entry, section, header.sh_link); !ok) return ok;
    }
    return {};
  }

  std::expected<void, Error> read_symbol(size_t index, const Elf64_Sym& entry, uint32_t section,
                                         size_t string_table) {
    InputSymbol& symbol = object_.symbols[index];
    auto name = string_at(string_table, entry.st_name);
    if (!name) return fail("name of symbol {} is outside the string table", index);
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
        symbol.place = InputSymbol::Place::Undefined;
        return {};
      case SHN_ABS:
        symbol.place = InputSymbol::Place::Absolute;
        return {};
      case SHN_COMMON:
        return fail("symbol '{}' is a common symbol: compile with -fno-common", symbol.name);
      default:
        break;
    }
    if (section == 0 || section >= section_count_)
      return fail("symbol '{}' is in section {}, the last is {}", symbol.name,
                  section == 0 ? entry.st_shndx : section, section_count_ - 1);
    symbol.place = InputSymbol::Place::Section;
    if (indexes_[section] == 0 && !symbol.is_section()) keep_section(section);
    symbol.section = indexes_[section];
    InputSection& kept = object_.sections[symbol.section];
    if (kept.code_table == CodeTable::JumpTables) symbol.binding = STB_LOCAL;
    if (symbol.type == STT_FUNC && (symbol.value % insn_size != 0 || symbol.size % insn_size != 0))
      return fail("function '{}' at {:#x} with {:#x} bytes does not consist of instructions",
                  symbol.name, symbol.value, symbol.size);
    // An empty section with a symbol of its own is not empty of meaning.
    if (!symbol.is_section() && kept.type == SHT_PROGBITS && kept.name == ".text")
      link_empty_section(kept);
    uint64_t limit = headers_[section].sh_size;
    if (symbol.value > limit || symbol.size > limit - symbol.value)
      return fail(
          "symbol '{}' at {:#x} with {:#x} bytes is outside its section '{}' of {:#x} bytes",
          symbol.name, symbol.value, symbol.size, names_[section], limit);
    return {};
  }

  static void link_empty_section(InputSection& section) {
    if (section.use != SectionUse::Drop || section.size != 0) return;
    section.use = SectionUse::Link;
    section.fragments.push_back({0, 0});
  }

  std::expected<void, Error> read_relocations() {
    for (size_t i = 1; i < section_count_; ++i) {
      const Elf64_Shdr& header = headers_[i];
      if (header.sh_type != SHT_REL && header.sh_type != SHT_RELA) continue;
      if (header.sh_info == 0 || header.sh_info >= section_count_)
        return fail("relocation section '{}' is for section {}, the last is {}", names_[i],
                    header.sh_info, section_count_ - 1);
      InputSection& target = object_.sections[indexes_[header.sh_info]];
      bool is_btf = target.name == ".BTF" || target.name == ".BTF.ext";
      if (!target.is_linked() && !is_btf) continue;
      if (auto ok = read_relocation_section(i, target); !ok) return ok;
    }
    if (has_gas_types_ || (is_made_by_gcc() && holds_symbol_values(object_)))
      normalize_gas_addends(object_);
    return {};
  }

  bool is_made_by_gcc() const {
    for (size_t i = 1; i < section_count_; ++i) {
      if (names_[i] != ".comment") continue;
      auto bytes = contents_of(headers_[i]);
      std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      if (text.find("GCC: (") != text.npos) return true;
    }
    return false;
  }

  std::expected<void, Error> read_relocation_section(size_t index, InputSection& target) {
    const Elf64_Shdr& header = headers_[index];
    bool explicit_addends = header.sh_type == SHT_RELA;
    size_t entry_size = explicit_addends ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    std::string_view name = names_[index];
    if (header.sh_entsize != entry_size || header.sh_size % entry_size != 0)
      return fail(
          "relocation section '{}' has {:#x} bytes with entries of {}, expected entries of {}",
          name, header.sh_size, header.sh_entsize, entry_size);
    if (header.sh_size == 0) return {};
    const Elf_Data* data = elf_getdata(elf_getscn(elf_, index), nullptr);
    if (!data || data->d_size != header.sh_size)
      return fail("unreadable relocation section '{}': {}", name, elf_errmsg(-1));
    if (target.data.size() != target.size)
      return fail("relocation section '{}' is for a section without bytes", name);
    target.relocations.reserve(target.relocations.size() + header.sh_size / entry_size);
    for (size_t i = 0; i < header.sh_size / entry_size; ++i) {
      Elf64_Rela entry{};
      if (explicit_addends) {
        entry = table_entry<Elf64_Rela>(*data, i);
      } else {
        const auto rel = table_entry<Elf64_Rel>(*data, i);
        entry.r_offset = rel.r_offset;
        entry.r_info = rel.r_info;
      }
      uint32_t type = standard_relocation_type(ELF64_R_TYPE(entry.r_info));
      if (type != ELF64_R_TYPE(entry.r_info)) has_gas_types_ = true;
      entry.r_info = ELF64_R_INFO(ELF64_R_SYM(entry.r_info), type);
      auto relocation = read_relocation(entry, explicit_addends, target);
      if (!relocation) return std::unexpected(relocation.error());
      if (relocation->type != R_BPF_NONE) target.relocations.push_back(*relocation);
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
    if (symbol.is_section() && relocation.addend < 0 &&
        static_cast<uint32_t>(relocation.addend) <= object_.sections[symbol.section].size)
      relocation.addend = static_cast<uint32_t>(relocation.addend);
    return relocation;
  }

  static std::expected<void, Error> check_relocated_insn(const Relocation& relocation,
                                                         const InputSection& target, Insn insn) {
    bool fits =
        relocation.offset % insn_size == 0 && (relocation.type == R_BPF_64_64   ? insn.is_ld_imm64()
                                               : relocation.type == R_BPF_64_32 ? insn.is_call()
                                                                                : false);
    if (fits) return {};
    return fail("relocation {} at {}+{:#x} does not stand at an instruction of its type",
                relocation_name(relocation.type), target.name, relocation.offset);
  }

  /// The first section of that type, or 0.
  size_t find_table(uint32_t type) const {
    auto found = std::find_if(headers_.begin(), headers_.end(),
                              [&](const Elf64_Shdr& header) { return header.sh_type == type; });
    return found == headers_.end() ? 0 : found - headers_.begin();
  }

  /// The NUL-terminated string at `offset` of a section of type SHT_STRTAB.
  std::optional<std::string_view> string_at(size_t table, uint64_t offset) const {
    auto bytes = contents_of(headers_[table]);
    if (offset >= bytes.size()) return std::nullopt;
    auto rest = bytes.subspan(offset);
    const void* end = std::memchr(rest.data(), 0, rest.size());
    if (!end) return std::nullopt;
    const char* start = reinterpret_cast<const char*>(rest.data());
    return std::string_view(start, static_cast<const char*>(end) - start);
  }

  ObjectFile& object_;
  std::span<const std::byte> image_;
  ReadOptions options_;
  Elf* elf_ = nullptr;
  size_t section_count_ = 0;
  size_t section_names_ = 0;
  std::vector<Elf64_Shdr> headers_;
  std::vector<std::string_view> names_;  ///< by header
  std::vector<uint32_t> indexes_;        ///< by header: that of the section, 0 where it is not kept
  bool has_gas_types_ = false;           ///< a relocation has a number that old GNU as alone uses
};

/// Whether a section is DWARF, which is not linked unless that is asked for.
bool is_dwarf(std::string_view name, uint64_t flags) {
  return (flags & SHF_ALLOC) == 0 && name.starts_with(".debug_");
}

}  // namespace

SectionUse use_of_section(std::string_view name, uint32_t type, uint64_t flags, uint64_t size,
                          ReadOptions options) {
  switch (type) {
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
  if (name == ".BTF" || name == ".BTF.ext") return SectionUse::Rebuild;
  if (flags & SHF_EXCLUDE) return SectionUse::Drop;
  if (is_dwarf(name, flags)) return options.keep_debug ? SectionUse::Link : SectionUse::Drop;
  if (!(flags & SHF_ALLOC) && (name.starts_with(".llvm") || name.starts_with(".note") ||
                               name.starts_with(".gnu") || name == ".comment"))
    return SectionUse::Drop;
  if (name == ".text" && size == 0) return SectionUse::Drop;
  return SectionUse::Link;
}

std::expected<std::unique_ptr<ObjectFile>, Error> ObjectFile::read(std::string name,
                                                                   std::span<const std::byte> image,
                                                                   ReadOptions options) {
  auto object = std::make_unique<ObjectFile>();
  object->name = std::move(name);
  if (auto ok = ObjectReader(*object, image, options).read(); !ok)
    return std::unexpected(ok.error());
  return object;
}

std::string ObjectFile::describe_place(std::string_view section, uint64_t offset) const {
  return fmt::format("{}:({}+{:#x})", name, section, offset);
}

}  // namespace bpflink
