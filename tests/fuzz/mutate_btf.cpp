#include <algorithm>
#include <cstring>

#include "tests/fuzz/mutators.hpp"

namespace bpflink::fuzz {
namespace {

constexpr size_t HEADER_SIZE = 24;
constexpr uint16_t BTF_MAGIC = 0xeb9f;

/// The number of words after the common three: fixed ones, and those of each of vlen elements.
struct Shape {
  uint8_t fixed, per_element;
};
constexpr Shape SHAPES[] = {{0, 0}, {1, 0}, {0, 0}, {3, 0}, {0, 3}, {0, 3}, {0, 2},
                            {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 2},
                            {1, 0}, {0, 3}, {0, 0}, {1, 0}, {0, 0}, {0, 3}};

/// A blob with the short header, in its parts.
struct Blob {
  std::endian order;
  std::vector<std::vector<uint32_t>> types;
  Bytes strings;

  static std::optional<Blob> read(const Bytes& bytes);
  Bytes write() const;
};

uint32_t load_word(const uint8_t* from, std::endian order) {
  uint32_t word;
  std::memcpy(&word, from, sizeof word);
  return order == std::endian::native ? word : std::byteswap(word);
}

void append_word(Bytes& to, uint32_t word, std::endian order) {
  if (order != std::endian::native) word = std::byteswap(word);
  const auto* bytes = reinterpret_cast<const uint8_t*>(&word);
  to.insert(to.end(), bytes, bytes + sizeof word);
}

std::optional<Blob> Blob::read(const Bytes& bytes) {
  if (bytes.size() < HEADER_SIZE) return std::nullopt;
  Blob blob;
  uint16_t magic;
  std::memcpy(&magic, bytes.data(), sizeof magic);
  blob.order = magic == BTF_MAGIC ? std::endian::native : std::endian::big;
  uint64_t words[6];
  for (int i = 1; i < 6; i++) words[i] = load_word(&bytes[4 * i], blob.order);
  if (words[1] != HEADER_SIZE) return std::nullopt;
  uint64_t types = HEADER_SIZE + words[2], strings = HEADER_SIZE + words[4];
  if (types + words[3] > bytes.size() || strings + words[5] > bytes.size()) return std::nullopt;
  blob.strings.assign(bytes.begin() + static_cast<ptrdiff_t>(strings),
                      bytes.begin() + static_cast<ptrdiff_t>(strings + words[5]));
  for (uint64_t at = types, end = types + words[3]; at + 12 <= end;) {
    uint32_t info = load_word(&bytes[at + 4], blob.order);
    uint32_t kind = info >> 24 & 0x1f;
    if (kind >= std::size(SHAPES)) break;
    uint64_t count = 3 + SHAPES[kind].fixed + uint64_t{info & 0xffff} * SHAPES[kind].per_element;
    if (4 * count > end - at) break;
    auto& type = blob.types.emplace_back();
    for (uint64_t i = 0; i < count; i++) type.push_back(load_word(&bytes[at + 4 * i], blob.order));
    at += 4 * count;
  }
  return blob;
}

Bytes Blob::write() const {
  Bytes body;
  for (const auto& type : types)
    for (uint32_t word : type) append_word(body, word, order);
  auto types_size = static_cast<uint32_t>(body.size());
  Bytes bytes = order == std::endian::little ? Bytes{0x9f, 0xeb, 1, 0} : Bytes{0xeb, 0x9f, 1, 0};
  for (uint32_t word : {uint32_t{HEADER_SIZE}, uint32_t{0}, types_size, types_size,
                        static_cast<uint32_t>(strings.size())})
    append_word(bytes, word, order);
  bytes.insert(bytes.end(), body.begin(), body.end());
  bytes.insert(bytes.end(), strings.begin(), strings.end());
  return bytes;
}

/// Gives the type as many words as kind and vlen require.
void fit(std::vector<uint32_t>& type) {
  uint32_t kind = type[1] >> 24 & 0x1f;
  if (kind >= std::size(SHAPES)) return;
  size_t count = 3 + SHAPES[kind].fixed + size_t{type[1] & 0xff} * SHAPES[kind].per_element;
  type[1] &= ~0xffff00u;
  type.resize(count, 1);
}

void change_word(Blob& blob, Random& random) {
  auto& type = blob.types[random.below(blob.types.size())];
  uint32_t& word = type[random.below(type.size())];
  switch (random.below(3)) {
    case 0:  // another type
      word = static_cast<uint32_t>(random.below(blob.types.size() + 2));
      break;
    case 1:  // another string
      word = static_cast<uint32_t>(random.below(blob.strings.size() + 2));
      break;
    default:
      word = static_cast<uint32_t>(random.number_like(word));
  }
}

void change_kind(Blob& blob, Random& random) {
  auto& type = blob.types[random.below(blob.types.size())];
  uint32_t kind = static_cast<uint32_t>(1 + random.below(20));
  uint32_t flag = random.one_in(4) ? 0x80000000 : type[1] & 0x80000000;
  type[1] = flag | kind << 24 | (random.one_in(2) ? type[1] & 0xff : random.below(4));
  fit(type);
}

void change_vlen(Blob& blob, Random& random) {
  auto& type = blob.types[random.below(blob.types.size())];
  type[1] = (type[1] & ~0xffffu) | static_cast<uint32_t>(random.below(8));
  if (!random.one_in(8)) fit(type);
}

void copy_type(Blob& blob, Random& random) {
  auto type = blob.types[random.below(blob.types.size())];
  size_t at = random.one_in(2) ? blob.types.size() : random.below(blob.types.size() + 1);
  blob.types.insert(blob.types.begin() + static_cast<ptrdiff_t>(at), std::move(type));
}

void remove_type(Blob& blob, Random& random) {
  blob.types.erase(blob.types.begin() + static_cast<ptrdiff_t>(random.below(blob.types.size())));
}

void swap_types(Blob& blob, Random& random) {
  std::swap(blob.types[random.below(blob.types.size())],
            blob.types[random.below(blob.types.size())]);
}

}  // namespace

void mutate_btf(Bytes& bytes, Random& random) {
  auto blob = Blob::read(bytes);
  if (!blob || blob->types.empty() || random.one_in(10)) return mutate_bytes(bytes);
  for (size_t left = 1 + random.below(3); left > 0 && !blob->types.empty(); left--) {
    if (random.one_in(20)) {
      mutate_bytes(blob->strings);
      if (!blob->strings.empty()) blob->strings.front() = blob->strings.back() = 0;
      continue;
    }
    constexpr void (*changes[])(Blob&, Random&) = {change_word, change_word, change_word,
                                                   change_kind, change_vlen, copy_type,
                                                   remove_type, swap_types};
    changes[random.below(std::size(changes))](*blob, random);
  }
  bytes = blob->write();
}

}  // namespace bpflink::fuzz
