#include "linker/elf_writer.hpp"

#include <fmt/format.h>
#include <libelf.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>

#include "linker/output_file.hpp"
#include "linker/verify.hpp"

namespace bpflink {
namespace {

/// Sections of up to this size are put together in memory and written at once.
constexpr uint64_t MAX_ASSEMBLED = 16 << 20;

template <typename... Args>
std::unexpected<Error> fail(fmt::format_string<Args...> format, Args&&... args) {
  return std::unexpected(Error{fmt::format(format, std::forward<Args>(args)...)});
}

class StringTable {
 public:
  uint32_t add(std::string_view string) {
    if (string.empty()) return 0;
    auto [entry, is_new] = offsets_.try_emplace(string, static_cast<uint32_t>(bytes_.size()));
    if (is_new) bytes_.append(string).push_back('\0');
    return entry->second;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_ = std::string(1, '\0');
  std::unordered_map<std::string_view, uint32_t> offsets_;
};

class ElfWriter {
 public:
  ElfWriter(Context& context, int fd) : context_(context), elf_(open(fd)) {}
  ~ElfWriter() { elf_end(elf_); }
  ElfWriter(const ElfWriter&) = delete;
  ElfWriter& operator=(const ElfWriter&) = delete;

  std::expected<void, Error> write() {
    if (!elf_ || !elf64_newehdr(elf_)) return library_error();
    build_symbols();
    for (auto& section : context_.sections) add_contents(*section);
    for (auto& section : context_.sections) add_relocations(*section);
    add_table(".BTF", SHT_PROGBITS, ELF_T_BYTE, context_.output_btf, 4);
    add_table(".BTF.ext", SHT_PROGBITS, ELF_T_BYTE, context_.output_btf_ext, 4);
    Elf64_Shdr* symtab =
        add_table(".symtab", SHT_SYMTAB, ELF_T_SYM, std::as_bytes(std::span(symbols_)), 8);
    std::string_view strtab_name = ".strtab";
    strings_.add(strtab_name);
    std::string_view strings = strings_.bytes();
    add_table(strtab_name, SHT_STRTAB, ELF_T_BYTE, std::as_bytes(std::span(strings)), 1);
    if (failed_) return library_error();
    if (section_count_ >= SHN_LORESERVE)
      return fail("{} sections are more than the {} that a symbol can be in", section_count_,
                  SHN_LORESERVE - 1);
    symtab->sh_link = section_count_;
    symtab->sh_info = first_global_;
    symtab->sh_entsize = sizeof(Elf64_Sym);
    for (auto [header, target] : relocation_headers_) {
      header->sh_link = section_count_ - 1;
      header->sh_info = target;
      header->sh_entsize = sizeof(Elf64_Rel);
      header->sh_flags = SHF_INFO_LINK;
    }
    return finish();
  }

 private:
  static Elf* open(int fd) {
    elf_version(EV_CURRENT);
    return elf_begin(fd, ELF_C_WRITE, nullptr);
  }

  static std::unexpected<Error> library_error() {
    int code = errno;
    return fail("cannot write: {}", code != 0 ? std::strerror(code) : elf_errmsg(-1));
  }

  void build_symbols() {
    symbols_.resize(1);
    for (auto& section : context_.sections)
      add_symbol({0, ELF64_ST_INFO(STB_LOCAL, STT_SECTION), 0,
                  static_cast<Elf64_Half>(section->index), 0, 0});
    for (auto& object : context_.objects)
      for (const InputSymbol& symbol : object->symbols)
        if (symbol.output_index != 0) add_symbol(*object, symbol, STB_LOCAL, STV_DEFAULT);
    for (const Symbol* symbol : context_.symbols.all())
      if (symbol->output_index != 0 && symbol->is_localized)
        add_symbol(*symbol->file, symbol->input(), STB_LOCAL, STV_DEFAULT);
    first_global_ = symbols_.size();
    for (const Symbol* symbol : context_.symbols.all())
      if (symbol->output_index != 0 && !symbol->is_localized)
        add_symbol(*symbol->file, symbol->input(), symbol->binding, symbol->visibility);
  }

  void add_symbol(const ObjectFile& object, const InputSymbol& symbol, uint8_t binding,
                  uint8_t visibility) {
    Elf64_Sym entry{strings_.add(symbol.name),
                    static_cast<uint8_t>(ELF64_ST_INFO(binding, symbol.type)),
                    visibility,
                    SHN_UNDEF,
                    0,
                    0};
    if (symbol.place == InputSymbol::Place::Absolute) {
      entry.st_shndx = SHN_ABS;
      entry.st_value = symbol.value;
    } else if (symbol.place == InputSymbol::Place::Section) {
      const InputSection& section = object.sections[symbol.section];
      // Only what has a place was given a number.
      Place place = place_of(section, symbol.value).value();
      entry.st_shndx = static_cast<Elf64_Half>(place.section->index);
      entry.st_value = place.offset;
      entry.st_size = symbol.size;
    }
    add_symbol(entry);
  }

  void add_symbol(Elf64_Sym entry) { symbols_.push_back(entry); }

  /// A new section at the end of the file so far. Null on failure.
  Elf64_Shdr* add_section(std::string_view name, uint32_t type, uint64_t flags, uint64_t alignment,
                          uint64_t size) {
    section_ = elf_newscn(elf_);
    Elf64_Shdr* header = section_ ? elf64_getshdr(section_) : nullptr;
    if (!header) {
      failed_ = true;
      return &discarded_;
    }
    section_count_++;
    file_size_ = (file_size_ + alignment - 1) & ~(alignment - 1);
    header->sh_name = strings_.add(name);
    header->sh_type = type;
    header->sh_flags = flags;
    header->sh_addralign = alignment;
    header->sh_size = size;
    header->sh_offset = file_size_;
    if (type != SHT_NOBITS) file_size_ += size;
    return header;
  }

  void add_data(Elf_Type type, uint64_t offset, std::span<const std::byte> bytes,
                uint64_t alignment) {
    Elf_Data* data = section_ ? elf_newdata(section_) : nullptr;
    if (!data) {
      failed_ = true;
      return;
    }
    data->d_buf = const_cast<std::byte*>(bytes.data());
    data->d_size = bytes.size();
    data->d_off = static_cast<int64_t>(offset);
    data->d_type = type;
    data->d_align = alignment;
  }

  void add_contents(const OutputSection& section) {
    Elf64_Shdr* header =
        add_section(section.name, section.type, section.flags, section.alignment, section.size);
    header->sh_entsize = section.entry_size;
    if (section.type == SHT_NOBITS || section.size == 0) {
      // A section without bytes still needs its size told.
      add_data(ELF_T_BYTE, 0, {static_cast<const std::byte*>(nullptr), section.size},
               section.alignment);
    } else if (section.pieces.size() == 1 && section.pieces[0].bytes.size() == section.size) {
      add_data(ELF_T_BYTE, 0, section.pieces[0].bytes, section.alignment);
    } else if (section.size <= MAX_ASSEMBLED) {
      auto& all = context_.buffers.emplace_back(section.size);
      for (const Piece& piece : section.pieces)
        std::ranges::copy(piece.bytes, all.begin() + static_cast<ptrdiff_t>(piece.offset));
      add_data(ELF_T_BYTE, 0, all, section.alignment);
    } else {
      for (const Piece& piece : section.pieces) add_data(ELF_T_BYTE, piece.offset, piece.bytes, 1);
    }
  }

  void add_relocations(const OutputSection& section) {
    if (section.relocations.empty()) return;
    auto& entries = relocations_.emplace_back();
    entries.reserve(section.relocations.size());
    for (const OutputRelocation& relocation : section.relocations)
      entries.push_back(
          {relocation.offset, ELF64_R_INFO(uint64_t{relocation.symbol}, relocation.type)});
    const std::string& name = names_.emplace_back(fmt::format(".rel{}", section.name));
    Elf64_Shdr* header = add_table(name, SHT_REL, ELF_T_REL, std::as_bytes(std::span(entries)), 8);
    relocation_headers_.push_back({header, section.index});
  }

  Elf64_Shdr* add_table(std::string_view name, uint32_t type, Elf_Type data_type,
                        std::span<const std::byte> bytes, uint64_t alignment) {
    if (bytes.empty()) return nullptr;
    Elf64_Shdr* header = add_section(name, type, 0, alignment, bytes.size());
    add_data(data_type, 0, bytes, alignment);
    return header;
  }

  std::expected<void, Error> finish() {
    Elf64_Ehdr* header = elf64_getehdr(elf_);
    header->e_ident[EI_DATA] =
        context_.byte_order == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
    header->e_type = ET_REL;
    header->e_machine = EM_BPF;
    header->e_version = EV_CURRENT;
    header->e_shoff = (file_size_ + 7) & ~uint64_t{7};
    header->e_shstrndx = static_cast<Elf64_Half>(section_count_);
    elf_flagelf(elf_, ELF_C_SET, ELF_F_LAYOUT);
    errno = 0;
    if (elf_update(elf_, ELF_C_WRITE) < 0) return library_error();
    return {};
  }

  Context& context_;
  Elf* elf_;
  Elf_Scn* section_ = nullptr;
  uint32_t section_count_ = 0;
  uint64_t file_size_ = sizeof(Elf64_Ehdr);
  bool failed_ = false;
  Elf64_Shdr discarded_{};  // takes what would go to a section that could not be made
  std::vector<Elf64_Sym> symbols_;
  uint32_t first_global_ = 0;
  StringTable strings_;
  std::deque<std::string> names_;
  std::deque<std::vector<Elf64_Rel>> relocations_;
  std::vector<std::pair<Elf64_Shdr*, uint32_t>> relocation_headers_;
};

}  // namespace

std::expected<void, Error> write_elf(Context& context, int fd) {
  return ElfWriter(context, fd).write();
}

void write_output(Context& context, const std::string& path) {
  auto fail = [&](const Error& error) {
    context.diagnostics.report({.message = fmt::format("{}: {}", path, error.message),
                                .code = DiagnosticCode::OutputFailure,
                                .file = path});
  };
  auto file = OutputFile::open(path);
  if (!file) return fail(file.error());
  if (auto ok = write_elf(context, file->fd()); !ok) return fail(ok.error());
  if (context.options.verify) {
    auto written = MappedFile::open(file->fd());
    if (!written) return fail(written.error());
    verify_output(context, written->bytes());
    if (context.diagnostics.failed()) return;
  }
  if (auto ok = file->commit(); !ok) return fail(ok.error());
}

}  // namespace bpflink
