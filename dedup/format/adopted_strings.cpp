// An index of all strings would take more memory than the processor has near, and nearly
// always say that all are different. A bit for each of many hashes says so of most of them
// in much less, and only the others have to be looked for.
#include "dedup/format/adopted_strings.hpp"

#include <bit>
#include <cstdint>

#include "dedup/classes/hash.hpp"

namespace bpflink {

namespace {

constexpr size_t usual_size = 16;
constexpr size_t bits_per_string = 8;

/// A set of hashes, or rather of some bits of them.
class HashSet {
 public:
  explicit HashSet(size_t bits) : words_(bits / 64) {}

  bool has(uint32_t hash) const { return (word(hash) >> hash % 64 & 1) != 0; }
  void add(uint32_t hash) { words_[place(hash)] |= uint64_t{1} << hash % 64; }

 private:
  size_t place(uint32_t hash) const { return hash / 64 & (words_.size() - 1); }
  uint64_t word(uint32_t hash) const { return words_[place(hash)]; }

  std::vector<uint64_t> words_;
};

struct Hashed {
  uint32_t offset;
  uint32_t hash;
};

/// By offset: whether one of the strings of a section begins there, and stands nowhere
/// before.
std::vector<bool> find_first(std::string_view section) {
  size_t expected = section.size() / usual_size + 1;
  HashSet seen(std::bit_ceil(bits_per_string * expected + 63));
  HashSet doubtful(std::bit_ceil(bits_per_string * expected + 63));
  std::vector<Hashed> strings;
  strings.reserve(expected);
  std::vector<bool> is_first(section.size());
  bool has_doubts = false;
  for (size_t offset = 0; offset < section.size();) {
    std::string_view string = section.data() + offset;
    uint32_t hash = hash_bytes(string.data(), string.size());
    strings.push_back({static_cast<uint32_t>(offset), hash});
    is_first[offset] = true;
    if (seen.has(hash)) {
      doubtful.add(hash);
      has_doubts = true;
    }
    seen.add(hash);
    offset += string.size() + 1;
  }
  if (!has_doubts) return is_first;

  HashIndex index;  // of offsets, and 1 more, as 0 is none
  auto at = [&](uint32_t value) { return std::string_view(section.data() + value - 1); };
  for (auto [offset, hash] : strings) {
    if (!doubtful.has(hash)) continue;
    std::string_view string = at(offset + 1);
    if (index.find(hash, [&](uint32_t value) { return at(value) == string; }) != 0)
      is_first[offset] = false;
    else
      index.insert(hash, offset + 1);
  }
  return is_first;
}

}  // namespace

AdoptedStrings::AdoptedStrings(std::string_view section)
    : text_(section.begin(), section.end()), is_first_(find_first(section)) {}

}  // namespace bpflink
