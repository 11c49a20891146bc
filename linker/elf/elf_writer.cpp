#include "linker/elf/elf_writer.hpp"

#include <fmt/format.h>
#include <libelf.h>

#include <algorithm>
#include <deque>
#include <memory>

#include "dedup/format/string_table.hpp"
#include "linker/elf/alignment.hpp"
#include "linker/io/output_bytes.hpp"
#include "linker/io/output_file.hpp"
#include "linker/report/verify.hpp"

namespace bpflink {
namespace {

template <typename... Args>
std::unexpected<Error> fail(fmt::format_string<Args...> format, Args&&... args) {
  return std::unexpected(Error{fmt::format(format, std::forward<Args>(args)...)});
}

class ElfWriter {
 public:
  explicit ElfWriter(const Context& context) : context_(context) {}

  std::expected<ElfImage, Error> make() {
    image_.size = sizeof(Elf64_Ehdr);
    if (context_.sections.size() >= SHN_LORESERVE)
      return fail("{} sections are more than the {} that a symbol can be in",
                  context_.sections.size(), SHN_LORESERVE - 1);
    build_symbols();
    for (auto& section : context_.sections) add_contents(*section);
    for (auto& section : context_.sections) add_relocations(*section);
    const BtfBuilder::Pieces& btf = context_.output_btf;
    add_table(".BTF", SHT_PROGBITS, {btf.head, btf.types, btf.strings}, 4);
    add_table(".BTF.ext", SHT_PROGBITS, {context_.output_btf_ext}, 4);
    uint32_t symtab = add_table(".symtab", SHT_SYMTAB, {encode(ELF_T_SYM, std::move(symbols_))}, 8);
    std::string_view strtab_name = ".strtab";
    strings_->intern(strtab_name);
    image_.tables.push_back(strings_);
    uint32_t strtab = add_table(strtab_name, SHT_STRTAB, {std::as_bytes(strings_->bytes())}, 1);
    headers_[symtab].sh_link = strtab;
    headers_[symtab].sh_info = first_global_;
    headers_[symtab].sh_entsize = sizeof(Elf64_Sym);
    for (auto [index, target] : relocation_sections_) {
      headers_[index].sh_link = symtab;
      headers_[index].sh_info = target;
      headers_[index].sh_entsize = sizeof(Elf64_Rel);
      headers_[index].sh_flags = SHF_INFO_LINK;
    }
    add_headers(strtab);
    // Those of sections without bytes and of headers are not in their place yet.
    std::ranges::stable_sort(image_.pieces, {}, &Piece::offset);
    return std::move(image_);
  }

 private:
  void build_symbols() {
    // Rarely are there other symbols than those that have a name in the link.
    symbols_.reserve(1 + context_.sections.size() + context_.symbols.all().size());
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
    Elf64_Sym entry{strings_->intern(symbol.name),
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

  /// A new section at the end of the file so far.
  Elf64_Shdr& add_section(std::string_view name, uint32_t type, uint64_t alignment, uint64_t size) {
    image_.size = align_up(image_.size, alignment);
    Elf64_Shdr& header = headers_.emplace_back();
    header.sh_name = strings_->intern(name);
    header.sh_type = type;
    header.sh_addralign = alignment;
    header.sh_size = size;
    header.sh_offset = image_.size;
    if (type != SHT_NOBITS) image_.size += size;
    return header;
  }

  void add_contents(const OutputSection& section) {
    Elf64_Shdr& header = add_section(section.name, section.type, section.alignment, section.size);
    header.sh_flags = section.flags;
    header.sh_entsize = section.entry_size;
    for (const Piece& piece : section.pieces)
      image_.pieces.push_back({header.sh_offset + piece.offset, piece.bytes});
  }

  void add_relocations(const OutputSection& section) {
    if (section.relocations.empty()) return;
    std::vector<Elf64_Rel> entries;
    entries.reserve(section.relocations.size());
    for (const OutputRelocation& relocation : section.relocations)
      entries.push_back(
          {relocation.offset, ELF64_R_INFO(uint64_t{relocation.symbol}, relocation.type)});
    const std::string& name = names_.emplace_back(fmt::format(".rel{}", section.name));
    relocation_sections_.emplace_back(
        add_table(name, SHT_REL, {encode(ELF_T_REL, std::move(entries))}, 8), section.index);
  }

  /// A section of these pieces, one after the other; none where they are empty. Returns its
  /// index.
  uint32_t add_table(std::string_view name, uint32_t type,
                     std::initializer_list<std::span<const std::byte>> pieces, uint64_t alignment) {
    uint64_t size = 0;
    for (std::span<const std::byte> piece : pieces) size += piece.size();
    if (size == 0) return 0;
    uint64_t offset = add_section(name, type, alignment, size).sh_offset;
    for (std::span<const std::byte> piece : pieces) {
      if (!piece.empty()) image_.pieces.push_back({offset, piece});
      offset += piece.size();
    }
    return static_cast<uint32_t>(headers_.size() - 1);
  }

  /// The entries of a table as they are in the file. The image has them from here on.
  template <typename Entry>
  std::span<const std::byte> encode(Elf_Type type, std::vector<Entry> entries) {
    auto table = std::make_shared<std::vector<Entry>>(std::move(entries));
    image_.tables.push_back(table);
    auto bytes = std::as_writable_bytes(std::span(*table));
    if (context_.byte_order == std::endian::native) return bytes;
    Elf_Data data{};
    data.d_buf = bytes.data();
    data.d_size = bytes.size();
    data.d_type = type;
    data.d_version = EV_CURRENT;
    elf_version(EV_CURRENT);
    elf64_xlatetof(&data, &data, encoding());
    return bytes;
  }

  unsigned char encoding() const {
    return context_.byte_order == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  }

  /// The file's header and those of the sections, behind all of them.
  void add_headers(uint32_t string_table) {
    image_.size = align_up(image_.size, 8);
    std::vector<Elf64_Ehdr> file(1);
    Elf64_Ehdr& header = file.front();
    std::ranges::copy(std::string_view(ELFMAG), header.e_ident);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = encoding();
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_REL;
    header.e_machine = EM_BPF;
    header.e_version = EV_CURRENT;
    header.e_shoff = image_.size;
    header.e_ehsize = sizeof(Elf64_Ehdr);
    header.e_shentsize = sizeof(Elf64_Shdr);
    // What does not fit the fields for it stands in the first section header.
    bool is_extended = headers_.size() >= SHN_LORESERVE;
    if (is_extended) {
      headers_.front().sh_size = headers_.size();
      headers_.front().sh_link = string_table;
    }
    header.e_shnum = is_extended ? 0 : static_cast<Elf64_Half>(headers_.size());
    header.e_shstrndx = is_extended ? SHN_XINDEX : static_cast<Elf64_Half>(string_table);
    image_.pieces.push_back({0, encode(ELF_T_EHDR, std::move(file))});
    image_.pieces.push_back({image_.size, encode(ELF_T_SHDR, std::move(headers_))});
    image_.size += image_.pieces.back().bytes.size();
  }

  const Context& context_;
  ElfImage image_;
  std::vector<Elf64_Shdr> headers_ = std::vector<Elf64_Shdr>(1);
  std::vector<Elf64_Sym> symbols_;
  uint32_t first_global_ = 0;
  std::shared_ptr<StringTable> strings_ = std::make_shared<StringTable>();
  std::deque<std::string> names_;
  std::vector<std::pair<uint32_t, uint32_t>> relocation_sections_;  // with what they are for
};

}  // namespace

std::expected<ElfImage, Error> make_elf(const Context& context) {
  return ElfWriter(context).make();
}

void write_output(Context& context, const std::string& path) {
  auto fail = [&](const Error& error) {
    context.diagnostics.report({.message = fmt::format("{}: {}", path, error.message),
                                .code = DiagnosticCode::OutputFailure,
                                .file = path});
  };
  auto file = OutputFile::open(path);
  if (!file) return fail(file.error());
  auto image = make_elf(context);
  if (!image) return fail(image.error());
  if (auto ok = write_to_file(*image, file->fd()); !ok) return fail(ok.error());
  if (context.options.verify) {
    auto written = InputFile::open(file->fd(), path);
    if (!written) return fail(written.error());
    verify_output(context, written->bytes());
    if (context.diagnostics.failed()) return;
  }
  if (auto ok = file->commit(); !ok) return fail(ok.error());
}

}  // namespace bpflink
