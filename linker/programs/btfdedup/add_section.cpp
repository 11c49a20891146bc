// A new section needs a header and a name. Neither the section header table nor the name table can
// grow in place, so both are written again at the end of the file.
#include "linker/programs/btfdedup/add_section.hpp"

#include <elf.h>

#include <cstring>
#include <vector>

#include "dedup/internal.hpp"
#include "linker/error.hpp"
#include "linker/io/write_all.hpp"
#include "linker/object/bytes.hpp"

namespace bpflink {
namespace {

/// Adds the section to a file of either ELF class.
template <typename Header, typename SectionHeader>
class SectionAdder {
 public:
  SectionAdder(int fd, const ElfFile& elf, const ReplacedSection& replaced, uint64_t end)
      : fd_(fd), elf_(elf), replaced_(replaced), end_(end) {}

  std::expected<void, Error> run(std::string_view name, std::span<const std::byte> contents) {
    read_tables();
    SectionHeader& names = headers_[elf_.name_table];
    auto bytes = elf_.contents(elf_.sections[elf_.name_table]);
    std::vector<std::byte> new_names(bytes.begin(), bytes.end());
    auto name_offset = static_cast<uint32_t>(new_names.size());
    for (char c : name) new_names.push_back(static_cast<std::byte>(c));
    new_names.push_back(std::byte{0});

    SectionHeader added{};
    set(added.sh_name, name_offset);
    set(added.sh_type, SHT_PROGBITS);
    set(added.sh_addralign, 4);
    set(added.sh_size, contents.size());
    set(added.sh_offset, place(contents.size()));
    set(names.sh_size, new_names.size());
    set(names.sh_offset, place(new_names.size()));
    headers_.push_back(added);
    uint64_t table = place(headers_.size() * sizeof(SectionHeader));
    count_headers(table);

    if (auto ok = write_all_at(fd_, get(added.sh_offset), contents); !ok) return ok;
    if (auto ok = write_all_at(fd_, get(names.sh_offset), new_names); !ok) return ok;
    if (auto ok = write_all_at(fd_, table, std::as_bytes(std::span(headers_))); !ok) return ok;
    return write_all_at(fd_, 0, std::as_bytes(std::span(&header_, 1)));
  }

 private:
  /// Reads the headers from the image, which was checked.
  void read_tables() {
    std::memcpy(&header_, elf_.image.data(), sizeof header_);
    headers_.reserve(elf_.sections.size() + 1);
    headers_.resize(elf_.sections.size());
    auto table = elf_.image.subspan(get(header_.e_shoff), headers_.size() * sizeof(SectionHeader));
    std::memcpy(headers_.data(), table.data(), table.size());
    set(headers_[replaced_.index].sh_offset, replaced_.offset);
    set(headers_[replaced_.index].sh_size, replaced_.size);
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
  ReplacedSection replaced_;
  uint64_t end_;
  Header header_;
  std::vector<SectionHeader> headers_;
};

}  // namespace

std::expected<void, Error> add_section(int fd, const ElfFile& elf, const ReplacedSection& replaced,
                                       uint64_t end, std::string_view name,
                                       std::span<const std::byte> contents) {
  if (elf.is_64_bit)
    return SectionAdder<Elf64_Ehdr, Elf64_Shdr>(fd, elf, replaced, end).run(name, contents);
  return SectionAdder<Elf32_Ehdr, Elf32_Shdr>(fd, elf, replaced, end).run(name, contents);
}

}  // namespace bpflink
