// Passes: write the bytes of .BTF, and the linked object to its temporary file.
//
// libelf writes the headers and the tables: symbols, strings, BTF.
//
// Section contents and their relocations bypass libelf, which would write each section as a whole
// from memory. Large sections are written from the mapped inputs, and zeros are skipped: 500 MB of
// arena data take 7 MB of memory and hardly any disk. Small ones, of which a large link has
// thousands, are written together. For this the linker sets the layout itself (ELF_F_LAYOUT);
// libelf ignores a section without data.
#include <cstddef>
#include <deque>

#include "bpflink/convert.hpp"
#include "dedup/for_linker.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/files/alignment.hpp"
#include "linker/files/elf_handle.hpp"
#include "linker/io/bytes.hpp"
#include "linker/io/sparse_writer.hpp"
#include "linker/state/context.hpp"

namespace bpflink {
namespace {

/// The types as an input's layout section made them, or without one.
std::expected<std::vector<std::byte>, Error> write_btf(const Context& context) {
  auto blob = context.btf->finish(context.byte_order);
  if (!blob || !context.options.classic_header) return blob;
  auto btf = TRY(Btf::parse(*blob));
  return convert_btf(btf, last_classic_header);
}

}  // namespace

void finish_btf(Context& context) {
  auto blob = write_btf(context);
  if (!blob)
    return context.diagnostics.error(fmt::format(".BTF of the output: {}", blob.error().message));
  context.output_btf = std::move(*blob);
}

namespace {

/// libelf reports that a system call failed, but not why.
std::unexpected<Error> libelf_error() {
  if (errno != 0) return system_error("cannot write");
  return fail("cannot write: {}", elf_errmsg(-1));
}

class ElfWriter {
 public:
  ElfWriter(const Context& context, int fd) : context_(context), fd_(fd) {}

  std::expected<void, Error> write() {
    if (context_.sections.size() >= SHN_LORESERVE)
      return fail("{} sections are more than the {} that a symbol can be in",
                  context_.sections.size(), SHN_LORESERVE - 1);
    errno = 0;
    elf_.reset(elf_begin(fd_, ELF_C_WRITE, nullptr));
    if (!elf_ || !elf64_newehdr(elf_.get())) return libelf_error();
    elf_flagelf(elf_.get(), ELF_C_SET, ELF_F_LAYOUT);

    make_symbols();
    for (auto& section : context_.sections) add_contents(*section);
    for (auto& section : context_.sections) add_relocations(*section);
    add_table(".BTF", SHT_PROGBITS, ELF_T_BYTE, context_.output_btf, 4);
    add_table(".BTF.ext", SHT_PROGBITS, ELF_T_BYTE, context_.output_btf_ext, 4);
    add_symbol_table();
    fill_header();
    if (!is_complete_) return libelf_error();

    errno = 0;
    if (elf_update(elf_.get(), ELF_C_WRITE) < 0) return libelf_error();
    return write_contents();
  }

 private:
  void make_symbols() {
    // Few output symbols have no name in the symbol table.
    symbols_.reserve(1 + context_.sections.size() + context_.symbols.all().size());
    symbols_.resize(1);
    for (auto& section : context_.sections)
      if (section->symbol_index != 0)
        symbols_.push_back({0, ELF64_ST_INFO(STB_LOCAL, STT_SECTION), 0,
                            static_cast<Elf64_Half>(section->index), 0, 0});
    for (auto& object : context_.objects)
      for (const InputSymbol& symbol : object->symbols)
        if (symbol.output_index != 0) add_symbol(*object, symbol, STB_LOCAL, STV_DEFAULT);
    for (const Symbol* symbol : context_.symbols.all())
      if (symbol->output_index != 0 && symbol->is_localized)
        add_symbol(*symbol->file, symbol->input(), STB_LOCAL, STV_DEFAULT);
    first_global_ = static_cast<Elf64_Word>(symbols_.size());
    for (const Symbol* symbol : context_.symbols.all())
      if (symbol->output_index != 0 && !symbol->is_localized)
        add_symbol(*symbol->file, symbol->input(), binding_of(*symbol), visibility_of(*symbol));
  }

  /// cilium/ebpf refuses weak maps and variables. Nothing overrides them after a final link.
  uint8_t binding_of(const Symbol& symbol) const {
    const InputSection* section = symbol.place().section;
    bool is_final = !context_.options.partial && section && !section->is_code();
    return is_final ? STB_GLOBAL : symbol.binding;
  }

  /// libbpf refuses hidden maps. What a later link may ask for stays.
  uint8_t visibility_of(const Symbol& symbol) const {
    const InputSection* section = symbol.place().section;
    bool is_map = section && section->holds_maps();
    return is_map && !context_.options.partial ? uint8_t{STV_DEFAULT} : symbol.visibility;
  }

  void add_symbol(const ObjectFile& object, const InputSymbol& symbol, uint8_t binding,
                  uint8_t visibility) {
    Elf64_Sym& entry = symbols_.emplace_back();
    entry.st_name = strings_.intern(symbol.name);
    entry.st_info = static_cast<uint8_t>(ELF64_ST_INFO(binding, symbol.type));
    entry.st_other = visibility;
    if (symbol.is_absolute) {
      entry.st_shndx = SHN_ABS;
      entry.st_value = symbol.value;
    } else if (symbol.is_in_section()) {
      // Only symbols with a place have a number.
      OutputPlace place = place_of(object.sections[symbol.section], symbol.value).value();
      entry.st_shndx = static_cast<Elf64_Half>(place.section->index);
      entry.st_value = place.offset;
      entry.st_size = symbol.size;
    }
  }

  /// Adds a section at the current end of the file.
  Elf64_Shdr& add_section(std::string_view name, uint32_t type, uint64_t alignment, uint64_t size) {
    Elf_Scn* section = elf_newscn(elf_.get());
    Elf64_Shdr* header = section ? elf64_getshdr(section) : nullptr;
    if (!header) {
      is_complete_ = false;
      return nowhere_;
    }
    last_section_ = section;
    end_ = align_up(end_, alignment);
    header->sh_name = strings_.intern(name);
    header->sh_type = type;
    header->sh_addralign = alignment;
    header->sh_size = size;
    header->sh_offset = end_;
    if (type != SHT_NOBITS) end_ += size;
    return *header;
  }

  void add_contents(const OutputSection& section) {
    Elf64_Shdr& header = add_section(section.name, section.type, section.alignment, section.size);
    header.sh_flags = section.flags;
    header.sh_entsize = section.entry_size;
    for (const OutputBytes& run : section.contents)
      contents_.push_back({header.sh_offset + run.offset, run.bytes});
  }

  void add_relocations(const OutputSection& section) {
    if (section.relocations.empty()) return;
    std::vector<std::byte>& entries = relocations_.emplace_back();
    entries.resize(section.relocations.size() * sizeof(Elf64_Rel));
    std::byte* at = entries.data();
    for (const OutputRelocation& relocation : section.relocations) {
      uint64_t info = ELF64_R_INFO(uint64_t{relocation.symbol}, relocation.type);
      store<uint64_t>(at + offsetof(Elf64_Rel, r_offset), relocation.offset, context_.byte_order);
      store<uint64_t>(at + offsetof(Elf64_Rel, r_info), info, context_.byte_order);
      at += sizeof(Elf64_Rel);
    }
    Elf64_Shdr& header =
        add_section(fmt::format(".rel{}", section.name), SHT_REL, 8, entries.size());
    header.sh_info = section.index;
    header.sh_entsize = sizeof(Elf64_Rel);
    header.sh_flags = SHF_INFO_LINK;
    relocation_headers_.push_back(&header);
    contents_.push_back({header.sh_offset, entries});
  }

  /// Adds a section whose bytes libelf writes; null if there are none.
  Elf64_Shdr* add_table(std::string_view name, uint32_t type, Elf_Type contents,
                        std::span<const std::byte> bytes, uint64_t alignment) {
    if (bytes.empty()) return nullptr;
    Elf64_Shdr& header = add_section(name, type, alignment, bytes.size());
    Elf_Data* data = is_complete_ ? elf_newdata(last_section_) : nullptr;
    if (!data) {
      is_complete_ = false;
      return &header;
    }
    data->d_buf = const_cast<std::byte*>(bytes.data());
    data->d_size = bytes.size();
    data->d_align = alignment;
    data->d_type = contents;
    return &header;
  }

  void add_symbol_table() {
    auto bytes = std::as_bytes(std::span(symbols_));
    Elf64_Shdr* symbols = add_table(".symtab", SHT_SYMTAB, ELF_T_SYM, bytes, 8);
    size_t index = elf_ndxscn(last_section_);
    for (Elf64_Shdr* header : relocation_headers_) header->sh_link = index;
    strings_.intern(".strtab");
    add_table(".strtab", SHT_STRTAB, ELF_T_BYTE, std::as_bytes(strings_.bytes()), 1);
    symbols->sh_link = elf_ndxscn(last_section_);
    symbols->sh_info = first_global_;
    symbols->sh_entsize = sizeof(Elf64_Sym);
  }

  void fill_header() {
    Elf64_Ehdr& header = *elf64_getehdr(elf_.get());
    bool is_little = context_.byte_order == std::endian::little;
    header.e_ident[EI_DATA] = is_little ? ELFDATA2LSB : ELFDATA2MSB;
    header.e_type = ET_REL;
    header.e_machine = EM_BPF;
    header.e_version = EV_CURRENT;
    header.e_shoff = end_ = align_up(end_, 8);
    // An index that does not fit e_shstrndx goes into the first section header.
    size_t names = elf_ndxscn(last_section_);
    bool is_extended = names >= SHN_LORESERVE;
    header.e_shstrndx = static_cast<Elf64_Half>(is_extended ? SHN_XINDEX : names);
    if (is_extended) elf64_getshdr(elf_getscn(elf_.get(), 0))->sh_link = names;
    end_ += (names + 1) * sizeof(Elf64_Shdr);
  }

  std::expected<void, Error> write_contents() {
    SparseWriter writer(fd_);
    for (const OutputBytes& run : contents_) TRY(writer.write(run.offset, run.bytes));
    return writer.finish();
  }

  const Context& context_;
  int fd_;
  ElfHandle elf_;
  Elf_Scn* last_section_ = nullptr;
  uint64_t end_ = sizeof(Elf64_Ehdr);  ///< current end of the file
  /// Whether libelf created every section; false if it ran out of memory.
  bool is_complete_ = true;
  Elf64_Shdr nowhere_{};

  std::vector<OutputBytes> contents_;  ///< bytes that bypass libelf, by file offset
  std::vector<Elf64_Sym> symbols_;
  Elf64_Word first_global_ = 0;
  StringTable strings_;
  std::deque<std::vector<std::byte>> relocations_;
  std::vector<Elf64_Shdr*> relocation_headers_;
};

}  // namespace

void write_output(Context& context) {
  const Outputs::Output& output = *context.object_output;
  if (auto ok = ElfWriter(context, output.file.fd()).write(); !ok)
    report_output(context, Outputs::problem_of(output.name, ok.error()));
}

}  // namespace bpflink
