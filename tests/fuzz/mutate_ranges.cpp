// Moves what headers claim: sections share, overlap and misalign bytes, with each other and with
// the headers; entries get other sizes; tables inside of sections overlap likewise. The bytes stay.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "tests/fuzz/mutators.hpp"

namespace bpflink::fuzz {
namespace {

/// The numbers of a file in its byte order.
class Numbers {
 public:
  Numbers(Bytes& file, std::endian order) : file_(file), order_(order) {}

  template <typename T>
  T get(uint64_t at) const {
    T value{};
    if (at > file_.size() || sizeof value > file_.size() - at) return value;
    std::memcpy(&value, &file_[at], sizeof value);
    return order_ == std::endian::native ? value : std::byteswap(value);
  }
  template <typename T>
  void set(uint64_t at, uint64_t number) {
    T value = static_cast<T>(number);
    if (at > file_.size() || sizeof value > file_.size() - at) return;
    if (order_ != std::endian::native) value = std::byteswap(value);
    std::memcpy(&file_[at], &value, sizeof value);
  }

 private:
  Bytes& file_;
  std::endian order_;
};

class RangeMutator {
 public:
  RangeMutator(Bytes& file, const ElfImage& image, Random& random)
      : image_(image),
        random_(random),
        file_(file),
        numbers_(file, image.byte_order()),
        headers_(image.header.e_shoff) {}

  void run() {
    switch (random_.below(8)) {
      case 0:
        return mutate_btf_ext();
      case 1:
        return mutate_btf_ids();
      case 2:
        return mutate_elf_header();
      case 3:
        return mutate_table();
      case 4:
        return shorten_table();
      default:
        return move_section();
    }
  }

 private:
  uint64_t field(size_t section, size_t offset) const {
    return headers_ + section * sizeof(Elf64_Shdr) + offset;
  }
  uint64_t begin_of(size_t section) const { return image_.sections[section].header.sh_offset; }
  uint64_t size_of(size_t section) const { return image_.sections[section].header.sh_size; }
  uint64_t nudge() { return random_.one_of({0, 0, 0, 1, 2, 4, 8, UINT64_MAX, UINT64_MAX - 3}); }

  size_t find(std::string_view name) const {
    for (size_t i = 0; i < image_.sections.size(); i++)
      if (image_.name_of(image_.sections[i]) == name) return i;
    return 0;
  }

  /// Sections that --update reads as tables and writes, more often than others.
  size_t choose() {
    constexpr std::string_view favourites[] = {".BTF",    ".BTF.ext", ".BTF_ids", ".rel.BTF",
                                               ".symtab", ".strtab",  ".BTF.base"};
    if (!random_.one_in(3))
      if (size_t found = find(favourites[random_.below(std::size(favourites))])) return found;
    return random_.below(image_.sections.size());
  }

  /// Puts a section where another, a header or the end of the file is.
  void move_section() {
    size_t moved = choose(), other = choose();
    uint64_t at = begin_of(other) + nudge(), size = size_of(moved);
    switch (random_.below(5)) {
      case 0:
        at = headers_ + random_.below(image_.sections.size()) * sizeof(Elf64_Shdr) + nudge();
        break;
      case 1:
        at = random_.below(sizeof(Elf64_Ehdr));
        break;
      case 2:
        at = begin_of(moved);  // only longer, up to the end of the other
        size = begin_of(other) + size_of(other) - at + nudge();
        break;
      case 3:
        at = begin_of(other) + random_.below(std::min<uint64_t>(size_of(other), file_.size()) + 1);
        break;
      default:
        if (random_.one_in(2)) size = size_of(other);
    }
    numbers_.set<uint64_t>(field(moved, offsetof(Elf64_Shdr, sh_offset)), at);
    numbers_.set<uint64_t>(field(moved, offsetof(Elf64_Shdr, sh_size)), size);
  }

  /// Puts the beginning of a table at the end of the file, with entries of another size.
  void shorten_table() {
    size_t relocations = find(".rel.BTF");
    size_t moved = relocations != 0 && random_.one_in(2) ? relocations : choose();
    const Bytes& bytes = image_.sections[moved].bytes;
    size_t size = std::min(random_.below(32), bytes.size());
    numbers_.set<uint64_t>(field(moved, offsetof(Elf64_Shdr, sh_offset)), file_.size());
    numbers_.set<uint64_t>(field(moved, offsetof(Elf64_Shdr, sh_size)), size);
    numbers_.set<uint64_t>(field(moved, offsetof(Elf64_Shdr, sh_entsize)),
                           random_.one_of({1, 2, 4, 8, 12, 16}));
    file_.insert(file_.end(), bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
  }

  /// Entry sizes, links, types and names.
  void mutate_table() {
    size_t section = choose(), other = choose();
    switch (random_.below(5)) {
      case 0:
        return numbers_.set<uint64_t>(field(section, offsetof(Elf64_Shdr, sh_entsize)),
                                      random_.one_of({0, 1, 2, 4, 7, 8, 12, 16, 24, 25, 1 << 20}));
      case 1:
        return numbers_.set<uint32_t>(field(section, offsetof(Elf64_Shdr, sh_link)), other);
      case 2:
        return numbers_.set<uint32_t>(field(section, offsetof(Elf64_Shdr, sh_info)), other);
      case 3:
        return numbers_.set<uint32_t>(
            field(section, offsetof(Elf64_Shdr, sh_type)),
            random_.one_of({SHT_REL, SHT_RELA, SHT_SYMTAB, SHT_SYMTAB_SHNDX, SHT_PROGBITS}));
      default:
        return numbers_.set<uint32_t>(field(section, offsetof(Elf64_Shdr, sh_name)),
                                      image_.sections[other].header.sh_name);
    }
  }

  void mutate_elf_header() {
    switch (random_.below(4)) {
      case 0:
        return move_headers_into_btf();
      case 1:
        numbers_.set<uint16_t>(offsetof(Elf64_Ehdr, e_shstrndx), SHN_XINDEX);
        return numbers_.set<uint32_t>(field(0, offsetof(Elf64_Shdr, sh_link)),
                                      random_.one_in(2) ? image_.header.e_shstrndx : choose());
      case 2:
        return numbers_.set<uint64_t>(offsetof(Elf64_Ehdr, e_shoff), headers_ + nudge());
      default:
        return numbers_.set<uint16_t>(offsetof(Elf64_Ehdr, e_shentsize),
                                      sizeof(Elf64_Shdr) + nudge());
    }
  }

  /// Moves .BTF to the end of the file, with the section headers among its strings.
  void move_headers_into_btf() {
    size_t btf = find(".BTF");
    if (btf == 0) return move_section();
    constexpr size_t string_size =
        20;  // where the header of .BTF has the size of its strings, the last part
    const Bytes& blob = image_.sections[btf].bytes;
    size_t count = image_.sections.size();
    file_.resize((file_.size() + 7) & ~size_t{7});
    uint64_t begin = file_.size();
    file_.insert(file_.end(), blob.begin(), blob.end());
    file_.resize((file_.size() + 7) & ~size_t{7});
    uint64_t table = file_.size();
    Bytes headers(file_.begin() + static_cast<ptrdiff_t>(headers_),
                  file_.begin() + static_cast<ptrdiff_t>(headers_ + count * sizeof(Elf64_Shdr)));
    file_.insert(file_.end(), headers.begin(), headers.end());
    file_.push_back(0);
    headers_ = table;
    numbers_.set<uint64_t>(offsetof(Elf64_Ehdr, e_shoff), table);
    numbers_.set<uint64_t>(field(btf, offsetof(Elf64_Shdr, sh_offset)), begin);
    numbers_.set<uint64_t>(field(btf, offsetof(Elf64_Shdr, sh_size)), file_.size() - begin);
    auto strings = numbers_.get<uint32_t>(begin + string_size);
    numbers_.set<uint32_t>(begin + string_size, strings + file_.size() - begin - blob.size());
    if (random_.one_in(3)) return;
    numbers_.set<uint16_t>(offsetof(Elf64_Ehdr, e_shstrndx), SHN_XINDEX);
    numbers_.set<uint32_t>(field(0, offsetof(Elf64_Shdr, sh_link)), image_.header.e_shstrndx);
  }

  /// Two of the three tables of .BTF.ext at one place, or nearly.
  void mutate_btf_ext() {
    size_t section = find(".BTF.ext");
    if (section == 0) return move_section();
    constexpr uint64_t first = 8;  // the first table's offset; each has an offset and a size
    uint64_t to = begin_of(section) + first + 8 * random_.below(3);
    uint64_t from = begin_of(section) + first + 8 * random_.below(3);
    numbers_.set<uint32_t>(to, numbers_.get<uint32_t>(from) + nudge());
    if (random_.one_in(2)) numbers_.set<uint32_t>(to + 4, numbers_.get<uint32_t>(from + 4));
  }

  /// A symbol of .BTF_ids at or near the place of another.
  void mutate_btf_ids() {
    size_t ids = find(".BTF_ids"), table = find(".symtab");
    uint64_t count = std::min<uint64_t>(size_of(table), file_.size()) / sizeof(Elf64_Sym);
    if (ids == 0 || count == 0) return move_section();
    std::vector<uint64_t> values;  // places of the file that say where a type id is
    for (uint64_t i = 0; i < count; i++) {
      uint64_t symbol = begin_of(table) + i * sizeof(Elf64_Sym);
      if (numbers_.get<uint16_t>(symbol + offsetof(Elf64_Sym, st_shndx)) == ids)
        values.push_back(symbol + offsetof(Elf64_Sym, st_value));
    }
    if (values.empty()) return move_section();
    uint64_t near = numbers_.get<uint64_t>(values[random_.below(values.size())]);
    numbers_.set<uint64_t>(values[random_.below(values.size())], near + random_.below(7) - 3);
  }

  const ElfImage& image_;  ///< of the file before
  Random& random_;
  Bytes& file_;
  Numbers numbers_;
  uint64_t headers_;
};

}  // namespace

void mutate_ranges(Bytes& file, Random& random) {
  for (size_t left = 1 + random.below(3); left > 0; left--) {
    auto image = ElfImage::read(file);
    if (!image || image->sections.size() < 2) return mutate_bytes(file);
    RangeMutator(file, *image, random).run();
  }
}

}  // namespace bpflink::fuzz
