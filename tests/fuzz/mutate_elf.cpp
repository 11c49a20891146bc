#include <algorithm>
#include <cstring>

#include "tests/fuzz/mutators.hpp"

namespace bpflink::fuzz {
namespace {

/// A field of a table's entries: offset and size in bytes.
struct Field {
  uint8_t offset, size;
};
constexpr Field SYMBOL_FIELDS[] = {{0, 4}, {4, 1}, {5, 1}, {6, 2}, {8, 8}, {16, 8}};
constexpr Field RELOCATION_FIELDS[] = {{0, 8}, {8, 4}, {12, 4}};
constexpr size_t RECORD_WORDS = 4;

uint64_t load_field(const uint8_t* from, size_t size, std::endian order) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; i++)
    value |= uint64_t{from[i]} << 8 * (order == std::endian::little ? i : size - 1 - i);
  return value;
}

void store_field(uint8_t* to, size_t size, uint64_t value, std::endian order) {
  for (size_t i = 0; i < size; i++)
    to[i] = static_cast<uint8_t>(value >> 8 * (order == std::endian::little ? i : size - 1 - i));
}

void mutate_field(uint8_t* at, size_t size, std::endian order, Random& random) {
  store_field(at, size, random.number_like(load_field(at, size, order)), order);
}

/// Changes a field of one entry, or copies the field from another entry.
void mutate_table(Bytes& table, size_t entry_size, std::span<const Field> fields, std::endian order,
                  Random& random) {
  size_t count = table.size() / entry_size;
  if (count == 0) return;
  Field field = fields[random.below(fields.size())];
  uint8_t* at = &table[random.below(count) * entry_size + field.offset];
  if (random.one_in(2)) return mutate_field(at, field.size, order, random);
  std::memmove(at, &table[random.below(count) * entry_size + field.offset], field.size);
}

/// Appends a copy of an entry, or removes one.
void resize_table(Bytes& table, size_t entry_size, Random& random) {
  size_t count = table.size() / entry_size;
  if (count == 0) return;
  auto entry = table.begin() + static_cast<ptrdiff_t>(random.below(count) * entry_size);
  auto end = entry + static_cast<ptrdiff_t>(entry_size);
  if (random.one_in(2)) {
    table.erase(entry, end);
  } else {
    Bytes copy(entry, end);
    table.insert(table.end(), copy.begin(), copy.end());
  }
}

void mutate_header(ElfImage& image, Elf64_Shdr& header, Random& random) {
  size_t other = random.below(image.sections.size());
  switch (random.below(9)) {
    case 0:
      header.sh_type = static_cast<uint32_t>(
          random.one_of({SHT_PROGBITS, SHT_NOBITS, SHT_REL, SHT_RELA, SHT_SYMTAB, SHT_STRTAB,
                         SHT_SYMTAB_SHNDX, SHT_GROUP, SHT_NULL, SHT_DYNAMIC, SHT_NOTE}));
      break;
    case 1:
      header.sh_flags ^= uint64_t{1} << random.below(13);
      break;
    case 2:
      header.sh_link = static_cast<uint32_t>(random.one_in(3) ? random.next() : other);
      break;
    case 3:
      header.sh_info = static_cast<uint32_t>(random.one_in(3) ? random.next() : other);
      break;
    case 4:
      header.sh_addralign = random.one_in(3) ? random.next() : uint64_t{1} << random.below(40);
      break;
    case 5:
      header.sh_entsize = random.number_like(header.sh_entsize);
      break;
    case 6:
      header.sh_name = image.sections[other].header.sh_name;
      break;
    case 7:
      header.sh_size = random.number_like(header.sh_size);  // counts for NOBITS only
      break;
    default:
      header = image.sections[other].header;
  }
}

void mutate_sections(ElfImage& image, Random& random) {
  size_t i = random.below(image.sections.size());
  if (random.one_in(2) && image.sections.size() < 40)
    image.sections.push_back(ElfSection(image.sections[i]));
  else
    std::swap(image.sections[i].bytes, image.sections[random.below(image.sections.size())].bytes);
}

void mutate_contents(ElfImage& image, ElfSection& section, Random& random) {
  std::string_view name = image.name_of(section);
  std::endian order = image.byte_order();
  bool resize = random.one_in(6);
  switch (section.header.sh_type) {
    case SHT_SYMTAB:
      return resize ? resize_table(section.bytes, sizeof(Elf64_Sym), random)
                    : mutate_table(section.bytes, sizeof(Elf64_Sym), SYMBOL_FIELDS, order, random);
    case SHT_REL:
      return resize
                 ? resize_table(section.bytes, sizeof(Elf64_Rel), random)
                 : mutate_table(section.bytes, sizeof(Elf64_Rel), RELOCATION_FIELDS, order, random);
    default:
      break;
  }
  if (name == ".BTF") return mutate_btf(section.bytes, random);
  if (name == ".BTF.ext" && !random.one_in(6)) return mutate_word(section.bytes, order, random);
  mutate_bytes(section.bytes);
}

/// Chooses sections that matter most to the linker more often.
ElfSection& choose_section(ElfImage& image, Random& random) {
  constexpr std::string_view favourites[] = {".BTF", ".BTF.ext", ".symtab", ".maps", ".text"};
  if (random.one_in(2))
    if (ElfSection* section = image.find(favourites[random.below(std::size(favourites))]))
      return *section;
  return image.sections[random.below(image.sections.size())];
}

}  // namespace

void mutate_word(Bytes& blob, std::endian order, Random& random) {
  if (blob.size() < 4) return mutate_bytes(blob);
  size_t words = blob.size() / 4;
  uint8_t* at = &blob[4 * random.below(words)];
  if (random.one_in(2)) return mutate_field(at, 4, order, random);
  // Copies a word of another record.
  size_t from = random.below(words), to = from + RECORD_WORDS * random.below(4);
  if (to < words) std::memmove(at, &blob[4 * to], 4);
}

void mutate_bytes(Bytes& bytes) {
  constexpr size_t GROWTH = 16;
  size_t size = bytes.size();
  bytes.resize(size + GROWTH);
  bytes.resize(LLVMFuzzerMutate(bytes.data(), size, bytes.size()));
}

void mutate_elf(Bytes& file, Random& random) {
  auto image = ElfImage::read(file);
  if (!image || random.one_in(50)) return mutate_bytes(file);
  for (size_t left = 1 + random.below(3); left > 0; left--) {
    ElfSection& section = choose_section(*image, random);
    size_t choice = random.below(20);
    if (choice == 0)
      mutate_sections(*image, random);
    else if (choice < 4)
      mutate_header(*image, section.header, random);
    else
      mutate_contents(*image, section, random);
  }
  file = image->write();
}

}  // namespace bpflink::fuzz
