#include "linker/elf/object_image.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

namespace bpflink {
namespace {

/// Bytes that are sooner read than skipped.
constexpr size_t SHORT = 4096;

/// A part of the file.
struct Range {
  size_t begin, end;
};

class ImageReader {
 public:
  ImageReader(const OpenFile& file, std::span<std::byte> image) : file_(file), image_(image) {}

  std::expected<void, Error> read() {
    // The header; and the section headers, which mostly are the end of a file, after the names.
    Range first{0, std::min(SHORT, image_.size())};
    if (auto ok = read(first); !ok || first.end == image_.size()) return ok;
    Elf64_Ehdr header;
    std::memcpy(&header, image_.data(), sizeof header);
    if (!is_plain(header)) return read({first.end, image_.size()});
    Range last{std::max(first.end, header.e_shoff - std::min(header.e_shoff, SHORT)),
               image_.size()};
    if (auto ok = read(last); !ok) return ok;
    headers_.resize(header.e_shnum);
    std::memcpy(headers_.data(), image_.data() + header.e_shoff,
                headers_.size() * sizeof(Elf64_Shdr));
    const Elf64_Shdr& names = headers_[header.e_shstrndx];
    if (names.sh_offset >= first.end && names.sh_offset < last.begin) {
      if (auto ok = read({names.sh_offset, last.begin}); !ok) return ok;
      last.begin = names.sh_offset;
    }
    if (!find_needed(names, last)) return read({first.end, last.begin});

    std::ranges::sort(needed_, {}, &Range::begin);
    Range together{first.end, first.end};
    for (Range part : needed_) {
      part.begin = std::max(part.begin, together.end);
      part.end = std::min(part.end, last.begin);
      if (part.begin >= part.end) continue;
      if (part.begin - together.end >= SHORT) {
        if (auto ok = read(together); !ok) return ok;
        together.begin = part.begin;
      }
      together.end = part.end;
    }
    return read(together);
  }

 private:
  std::expected<void, Error> read(Range part) {
    return file_.read(part.begin, image_.subspan(part.begin, part.end - part.begin));
  }

  /// Whether the section headers can be looked at as they are.
  bool is_plain(const Elf64_Ehdr& header) const {
    constexpr int NATIVE = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
    return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
           header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == NATIVE &&
           header.e_shentsize == sizeof(Elf64_Shdr) && header.e_shnum != 0 &&
           header.e_shstrndx < header.e_shnum && header.e_shoff < image_.size() &&
           (image_.size() - header.e_shoff) / sizeof(Elf64_Shdr) >= header.e_shnum;
  }

  /// Lists the contents that are needed. Returns false where names are not among what has
  /// been read, or anything else is not as usual.
  bool find_needed(const Elf64_Shdr& names, Range known) {
    if (names.sh_offset < known.begin || names.sh_offset >= known.end || names.sh_size == 0 ||
        names.sh_size > known.end - names.sh_offset)
      return false;
    const char* text = reinterpret_cast<const char*>(image_.data()) + names.sh_offset;
    if (text[names.sh_size - 1] != '\0') return false;
    auto is_skipped = [&](const Elf64_Shdr& section) {
      return is_dwarf(text + section.sh_name, section);
    };
    if (std::ranges::any_of(
            headers_, [&](uint32_t name) { return name >= names.sh_size; }, &Elf64_Shdr::sh_name))
      return false;
    for (const Elf64_Shdr& section : headers_) {
      bool is_relocations = section.sh_type == SHT_REL || section.sh_type == SHT_RELA;
      bool is_of_skipped = is_relocations && section.sh_info < headers_.size() &&
                           is_skipped(headers_[section.sh_info]);
      if (section.sh_type == SHT_NOBITS || is_of_skipped || is_skipped(section)) continue;
      if (section.sh_offset > image_.size() || section.sh_size > image_.size() - section.sh_offset)
        return false;
      needed_.push_back({section.sh_offset, section.sh_offset + section.sh_size});
    }
    return true;
  }

  const OpenFile& file_;
  std::span<std::byte> image_;
  std::vector<Elf64_Shdr> headers_;
  std::vector<Range> needed_;
};

}  // namespace

std::expected<void, Error> read_whole(const OpenFile& file, std::vector<std::byte>& image) {
  image.resize(file.size());
  return file.read(0, image);
}

std::expected<void, Error> read_without_dwarf(const OpenFile& file, std::vector<std::byte>& image) {
  image.resize(file.size());
  return ImageReader(file, image).read();
}

}  // namespace bpflink
