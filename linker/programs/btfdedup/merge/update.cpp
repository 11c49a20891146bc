// An object refers to its BTF by type id, by string offset and by place. All of these are fields of
// fixed size, so nothing else in the file moves.
#include "linker/programs/btfdedup/merge/update.hpp"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "dedup/for_linker.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/facts/insn.hpp"
#include "linker/files/btf_ext.hpp"
#include "linker/files/elf_kind.hpp"
#include "linker/io/bytes.hpp"
#include "linker/io/descriptor.hpp"
#include "linker/io/sparse_writer.hpp"
#include "linker/kernels/kernel_image.hpp"
#include "linker/programs/btfdedup/merge/btf_ids.hpp"

namespace bpflink {
namespace {

/// The file offset of bytes in the image.
uint64_t offset_in(const ElfFile& elf, const std::byte* at) {
  return static_cast<uint64_t>(at - elf.image.data());
}

/// The size of an entry of a section of type SHT_REL or SHT_RELA, in bytes.
size_t relocation_size(const ElfFile& elf, uint32_t section_type) {
  if (section_type == SHT_RELA) return elf.is_64_bit ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela);
  return elf.is_64_bit ? sizeof(Elf64_Rel) : sizeof(Elf32_Rel);
}

/// A section that has other contents in a copy of the file.
struct ReplacedSection {
  uint32_t index;
  uint64_t offset, size;
};

/// A section to add, which is not loaded at run time.
struct NewSection {
  std::string_view name;
  std::span<const std::byte> contents;
};

/// Adds sections to a file of either ELF class. Each needs a header and a name. Neither the section
/// header table nor the name table can grow in place, so both are written again at the end of the
/// file.
template <typename Header, typename SectionHeader>
class SectionAdder {
 public:
  SectionAdder(int fd, const ElfFile& elf, std::optional<ReplacedSection> replaced, uint64_t end)
      : fd_(fd), elf_(elf), replaced_(replaced), end_(end) {}

  std::expected<void, Error> run(std::span<const NewSection> sections) {
    read_tables(sections.size());
    auto bytes = elf_.contents(elf_.sections[elf_.name_table]);
    std::vector<std::byte> new_names(bytes.begin(), bytes.end());
    for (const NewSection& section : sections) {
      SectionHeader added{};
      set(added.sh_name, new_names.size());
      set(added.sh_type, SHT_PROGBITS);
      set(added.sh_addralign, 4);
      set(added.sh_size, section.contents.size());
      set(added.sh_offset, place(section.contents.size()));
      for (char c : section.name) new_names.push_back(static_cast<std::byte>(c));
      new_names.push_back(std::byte{0});
      headers_.push_back(added);
      TRY(write_all_at(fd_, get(added.sh_offset), section.contents));
    }
    SectionHeader& names = headers_[elf_.name_table];
    set(names.sh_size, new_names.size());
    set(names.sh_offset, place(new_names.size()));
    uint64_t table = place(headers_.size() * sizeof(SectionHeader));
    count_headers(table);

    TRY(write_all_at(fd_, get(names.sh_offset), new_names));
    TRY(write_all_at(fd_, table, std::as_bytes(std::span(headers_))));
    return write_all_at(fd_, 0, std::as_bytes(std::span(&header_, 1)));
  }

 private:
  /// Reads the headers from the image, which was checked.
  void read_tables(size_t added) {
    std::memcpy(&header_, elf_.image.data(), sizeof header_);
    headers_.reserve(elf_.sections.size() + added);
    headers_.resize(elf_.sections.size());
    auto table = elf_.image.subspan(get(header_.e_shoff), headers_.size() * sizeof(SectionHeader));
    std::memcpy(headers_.data(), table.data(), table.size());
    if (!replaced_) return;
    set(headers_[replaced_->index].sh_type, SHT_PROGBITS);
    set(headers_[replaced_->index].sh_offset, replaced_->offset);
    set(headers_[replaced_->index].sh_size, replaced_->size);
  }

  /// Reserves the place of the next new bytes.
  uint64_t place(uint64_t size) {
    uint64_t at = align_up(end_, 8);
    end_ = at + size;
    return at;
  }

  void count_headers(uint64_t table) {
    set(header_.e_shoff, table);
    bool fits = headers_.size() < SHN_LORESERVE;
    set(header_.e_shnum, fits ? headers_.size() : 0);
    if (!fits) set(headers_[0].sh_size, headers_.size());
  }

  template <typename T>
  uint64_t get(const T& field) const {
    return load<T>(reinterpret_cast<const std::byte*>(&field), elf_.order);
  }
  template <typename T>
  void set(T& field, uint64_t value) const {
    store<T>(reinterpret_cast<std::byte*>(&field), static_cast<T>(value), elf_.order);
  }

  int fd_;
  const ElfFile& elf_;
  std::optional<ReplacedSection> replaced_;
  uint64_t end_;
  Header header_;
  std::vector<SectionHeader> headers_;
};

/// Adds sections. `fd` is a copy of the ELF file in which only contents of sections have changed
/// before `end`, and which has the section `replaced`. New data is written from `end` on; the old
/// section header table becomes unused. Errors: the file cannot be written.
std::expected<void, Error> add_sections(int fd, const ElfFile& elf,
                                        std::optional<ReplacedSection> replaced, uint64_t end,
                                        std::span<const NewSection> sections) {
  if (elf.is_64_bit)
    return SectionAdder<Elf64_Ehdr, Elf64_Shdr>(fd, elf, replaced, end).run(sections);
  return SectionAdder<Elf32_Ehdr, Elf32_Shdr>(fd, elf, replaced, end).run(sections);
}

}  // namespace

std::expected<UpdatedFile, Error> UpdatedFile::open(const std::string& path, bool may_lack_btf) {
  auto file = TRY(InputFile::open(path));
  if (!is_elf(file.bytes()))
    return fail("{}",
                is_packed(file.bytes())
                    ? "is compressed, an archive or an image: --update writes only into ELF files"
                    : "is not an ELF file");
  auto elf = TRY(read_elf(file.bytes()));
  auto section = elf.find(".BTF");
  if (!section && !may_lack_btf) return fail("has no section .BTF");
  if (section) TRY(check_contents(elf.sections[*section]));
  return UpdatedFile(std::move(file), std::move(elf));
}

std::string_view UpdatedFile::section_with_ids() const {
  if (elf_.find(".BTF.ext")) return ".BTF.ext";
  return has_btf_ids(elf_) ? ".BTF_ids" : "";
}

/// Patches the type ids and string offsets in .BTF.ext, whose length stays the same.
void UpdatedFile::adapt_records(std::span<const std::byte> section, const BtfExt& ext,
                                const Btf& btf, const TypeMap& map, BtfBuilder& types) {
  Patch patch{offset_in(elf_, section.data()), {section.begin(), section.end()}};
  auto copy_of = [&](const std::byte* at) { return &patch.bytes[at - section.data()]; };
  auto map_string = [&](uint32_t, uint32_t offset) { return types.add_string(btf.string(offset)); };
  for (const BtfExtTableKind& kind : btf_ext_table_kinds) {
    const BtfExtTable& table = ext.*kind.table;
    for (const BtfExtSection& part : table.sections) {
      // A section's records follow its name and their count.
      const std::byte* name = part.records.data() - btf_ext_section_header;
      store(copy_of(name), map_string(0, load<uint32_t>(name, elf_.order)), elf_.order);
    }
    table.for_each_record([&](uint32_t, std::span<const std::byte> record) {
      map_record(
          kind, record.data(), copy_of(record.data()), elf_.order,
          [&](uint32_t id) { return map[id]; }, map_string);
    });
  }
  patches_.push_back(std::move(patch));
}

/// Patches instructions that hold an id of a type of the object's own BTF.
void UpdatedFile::adapt_instructions(const BtfExt& ext, const TypeMap& map) {
  for (const BtfExtSection& part : ext.core_relo.sections) {
    auto code = elf_.contents(elf_.sections[part.section]);
    ext.for_each_local_type_id(part, [&](const CoreRelo& relo) {
      auto insn = code.subspan(relo.insn_off, insn_size);
      Patch patch{offset_in(elf_, insn.data()), {insn.begin(), insn.end()}};
      store_type_id(patch.bytes.data(), map[relo.type_id], elf_.order);
      patches_.push_back(std::move(patch));
    });
  }
}

std::expected<void, Error> UpdatedFile::adapt_ids(const Btf& btf, const TypeMap& map,
                                                  BtfBuilder& types) {
  if (auto section = elf_.find(".BTF.ext")) {
    auto find_section = [&](std::string_view name) -> std::optional<CodeSection> {
      auto index = elf_.find(name);
      if (!index) return std::nullopt;
      return CodeSection{*index, elf_.contents(elf_.sections[*index])};
    };
    // Only types matter here, not the functions that they describe.
    auto may_begin_function = [](uint32_t, uint64_t) { return true; };
    auto contents = elf_.contents(elf_.sections[*section]);
    auto ext = TRY(BtfExt::parse(contents, {btf, elf_.order, find_section, may_begin_function}));
    adapt_records(contents, ext, btf, map, types);
    adapt_instructions(ext, map);
  }
  auto ids = TRY(adapt_btf_ids(elf_, btf, map));
  std::ranges::move(ids, std::back_inserter(patches_));
  return {};
}

std::expected<void, Error> UpdatedFile::fill_ids(std::span<const uint32_t> ids) {
  auto filled = TRY(fill_btf_ids(elf_, ids));
  std::ranges::move(filled, std::back_inserter(patches_));
  return {};
}

std::expected<void, Error> UpdatedFile::adapt_relocations(std::span<const UpdatedBlob> blobs,
                                                          std::span<const TypeMap> maps,
                                                          const Btf& updated,
                                                          std::span<const std::byte> blob) {
  auto target = elf_.find(".BTF");
  std::vector<uint64_t> after = type_offsets(blob, updated);
  std::vector<std::vector<uint64_t>> before;  // by blob, offsets in it
  for (const UpdatedBlob& old : blobs) before.push_back(type_offsets(old.bytes, old.btf));
  for (const ElfSection& section : elf_.sections) {
    bool relocates = section.type == SHT_REL || section.type == SHT_RELA;
    if (!relocates || section.info != *target) continue;
    auto entries = elf_.contents(section);
    const size_t entry_size = relocation_size(elf_, section.type);
    if (section.entry_size != entry_size || entries.size() % entry_size != 0)
      return fail("section {} has {:#x} bytes with entries of {}, expected entries of {}",
                  section.name, entries.size(), section.entry_size, entry_size);
    for (size_t at = 0; at < entries.size(); at += entry_size) {
      const std::byte* field = &entries[at];
      uint64_t place =
          elf_.is_64_bit ? load<uint64_t>(field, elf_.order) : load<uint32_t>(field, elf_.order);
      auto next_blob = std::ranges::upper_bound(blobs, place, {}, &UpdatedBlob::offset);
      size_t which = next_blob == blobs.begin() ? 0 : next_blob - blobs.begin() - 1;
      const UpdatedBlob& old = blobs[which];
      uint32_t first_id = old.btf.first_id();
      auto own = std::span(before[which]).subspan(first_id);
      place -= old.offset;
      auto next = std::ranges::upper_bound(own, place);
      if (next == own.begin() || next == own.end())
        return fail("section {}: relocation at offset {} is not of a type in .BTF", section.name,
                    at);
      auto id = static_cast<uint32_t>(next - own.begin()) - 1 + first_id;
      place += after[maps[which][id]] - before[which][id];
      Patch patch{offset_in(elf_, field), std::vector<std::byte>(elf_.is_64_bit ? 8 : 4)};
      if (elf_.is_64_bit)
        store<uint64_t>(patch.bytes.data(), place, elf_.order);
      else
        store<uint32_t>(patch.bytes.data(), static_cast<uint32_t>(place), elf_.order);
      patches_.push_back(std::move(patch));
    }
  }
  return {};
}

std::expected<void, Error> UpdatedFile::write(int fd, std::span<const std::byte> blob,
                                              std::span<const std::byte> base_blob) const {
  std::vector<NewSection> added;
  std::optional<ReplacedSection> replaced;
  ElfSection old{.offset = elf_.image.size()};
  if (auto index = elf_.find(".BTF")) {
    old = elf_.sections[*index];
    replaced = {*index, old.offset, blob.size()};
  } else {
    added.push_back({".BTF", blob});
  }
  if (replaced && blob.size() > old.size) {
    // The kernel's linker script makes an empty one, for what is to come.
    if ((old.flags & SHF_ALLOC) != 0 && old.size != 0)
      return fail("section .BTF has {} and is loaded at run time, so {} do not fit",
                  count_of(old.size, "byte"), blob.size());
    replaced->offset = align_up(elf_.image.size(), 8);
  }
  if (!base_blob.empty()) added.push_back({".BTF.base", base_blob});
  // What is not written is zero: the old contents, and holes of the file.
  if (::ftruncate(fd, static_cast<off_t>(elf_.image.size())) != 0)
    return system_error("cannot write");
  uint64_t rest = old.offset + old.size, end = elf_.image.size();
  SparseWriter copy(fd);
  TRY(copy.write(0, elf_.image.first(old.offset)));
  TRY(copy.write(rest, elf_.image.subspan(rest)));
  TRY(copy.finish());
  for (const Patch& patch : patches_) TRY(write_all_at(fd, patch.offset, patch.bytes));
  if (replaced) {
    TRY(write_all_at(fd, replaced->offset, blob));
    end = std::max(end, replaced->offset + blob.size());
    // An empty section may have been one without contents. sh_offset and sh_size are adjacent.
    std::array<std::byte, 4> type;
    store<uint32_t>(type.data(), SHT_PROGBITS, elf_.order);
    TRY(write_all_at(fd, old.header_offset + offsetof(Elf64_Shdr, sh_type), type));
    std::array<std::byte, 16> fields;
    uint64_t at = old.header_offset;
    if (elf_.is_64_bit) {
      store<uint64_t>(&fields[0], replaced->offset, elf_.order);
      store<uint64_t>(&fields[8], blob.size(), elf_.order);
      at += offsetof(Elf64_Shdr, sh_offset);
    } else {
      store<uint32_t>(&fields[0], static_cast<uint32_t>(replaced->offset), elf_.order);
      store<uint32_t>(&fields[4], static_cast<uint32_t>(blob.size()), elf_.order);
      at += offsetof(Elf32_Shdr, sh_offset);
    }
    TRY(write_all_at(fd, at, std::span(fields).first(elf_.is_64_bit ? 16 : 8)));
  }
  if (added.empty()) return {};
  return add_sections(fd, elf_, replaced, end, added);
}

}  // namespace bpflink
