// A new section needs a header and a name. Neither the section header table nor the name table can
// grow in place, so both are written again at the end of the file.
#include "linker/btfdedup/add_section.hpp"

#include <elf.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "dedup/internal.hpp"
#include "linker/elf/bytes.hpp"
#include "linker/error.hpp"
#include "linker/io/write_all.hpp"

namespace bpflink {
namespace {

/// Adds the section to a file of either ELF class.
template <typename Header, typename SectionHeader>
class SectionAdder {
 public:
  SectionAdder(int fd, const ElfFile& elf, uint64_t end) : fd_(fd), elf_(elf), end_(end) {}

  std::expected<void, Error> run(std::string_view name, std::span<const std::byte> contents) {
    if (auto ok = read_tables(); !ok) return ok;
    SectionHeader& names = headers_[names_index_];
    auto bytes = elf_.contents(elf_.sections[names_index_]);
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
  /// Reads the section headers from the copy, where some may have changed.
  std::expected<void, Error> read_tables() {
    std::memcpy(&header_, elf_.image.data(), sizeof header_);
    headers_.resize(elf_.sections.size());
    size_t size = headers_.size() * sizeof(SectionHeader);
    headers_.reserve(headers_.size() + 1);
    if (get(header_.e_shentsize) != sizeof(SectionHeader))
      return fail("section headers have {} bytes each, not {}", get(header_.e_shentsize),
                  sizeof(SectionHeader));
    if (::pread(fd_, headers_.data(), size, static_cast<off_t>(get(header_.e_shoff))) !=
        static_cast<ssize_t>(size))
      return fail("cannot read what was written: {}", std::strerror(errno));
    names_index_ = get(header_.e_shstrndx);
    if (names_index_ == SHN_XINDEX) names_index_ = get(headers_[0].sh_link);
    return {};
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
  uint64_t end_;
  Header header_;
  std::vector<SectionHeader> headers_;
  size_t names_index_ = 0;
};

}  // namespace

std::expected<void, Error> add_section(int fd, const ElfFile& elf, uint64_t end,
                                       std::string_view name, std::span<const std::byte> contents) {
  if (elf.is_64_bit) return SectionAdder<Elf64_Ehdr, Elf64_Shdr>(fd, elf, end).run(name, contents);
  return SectionAdder<Elf32_Ehdr, Elf32_Shdr>(fd, elf, end).run(name, contents);
}

}  // namespace bpflink
