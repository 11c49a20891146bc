// A string section in the making: every string once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dedup/hash.hpp"

namespace bpflink {

/// Interns strings. They are stored one after another, each with its NUL, the
/// empty one first, which is what a BTF string section is.
class StringTable {
 public:
  StringTable() : bytes_(1, '\0') {}

  /// The offset of `string`, which must not contain NUL.
  uint32_t intern(std::string_view string) {
    if (string.empty()) return 0;
    if (index_end_ != bytes_.size()) index_appended();
    uint32_t hash = hash_bytes(string.data(), string.size());
    uint32_t found = index_.find(hash, [&](uint32_t offset) { return equals(offset, string); });
    if (found != 0) return found;
    uint32_t offset = append(string);
    index_.insert(hash, offset);
    index_end_ = bytes_.size();
    return offset;
  }

  /// Adds a string that is not empty and was not added yet. It is hashed when the
  /// next one is looked for.
  uint32_t append(std::string_view string) {
    auto offset = static_cast<uint32_t>(bytes_.size());
    bytes_.insert(bytes_.end(), string.begin(), string.end());
    bytes_.push_back('\0');
    return offset;
  }

  /// Makes room for so many bytes.
  void reserve(size_t bytes) { reserve_large(bytes_, bytes); }

  /// Takes the strings of a section, one after another and each with its NUL, the
  /// empty one first, where they stand. Calls `found(offset)` for each of them
  /// that was not there before. The table must be empty.
  template <class Found>
  void adopt(std::string_view section, Found&& found) {
    reserve_large(bytes_, section.size());
    bytes_.assign(section.begin(), section.end());
    constexpr size_t usual_size = 16;
    index_.reserve(section.size() / usual_size);
    adopted_end_ = index_end_ = bytes_.size();
    found(0);
    // Some at a time, for the memory to bring the index of all of them at once.
    std::array<Hashed, 32> some;
    for (size_t offset = 1; offset < bytes_.size();) {
      size_t count = 0;
      for (; count < some.size() && offset < bytes_.size(); ++count) {
        std::string_view string = at(static_cast<uint32_t>(offset));
        some[count] = {string, hash_bytes(string.data(), string.size())};
        index_.prefetch(some[count].hash);
        offset += string.size() + 1;
      }
      for (const Hashed& hashed : std::span(some).first(count))
        if (index_new(hashed)) found(offset_of(hashed.string));
    }
  }

  /// Whether both tables have adopted the same strings, which then have the same
  /// offsets below adopted_end().
  bool has_adopted_those_of(const StringTable& other) const {
    return adopted_end_ == other.adopted_end_ &&
           std::equal(bytes_.begin(), bytes_.begin() + static_cast<ptrdiff_t>(adopted_end_),
                      other.bytes_.begin());
  }
  size_t adopted_end() const { return adopted_end_; }

  /// The string at an offset that intern() returned.
  std::string_view at(uint32_t offset) const { return text(offset); }
  /// The same, which ends with NUL.
  const char* text(uint32_t offset) const { return bytes_.data() + offset; }

  const std::vector<char>& bytes() const { return bytes_; }

 private:
  /// A string that is stored, and its hash.
  struct Hashed {
    std::string_view string;
    uint32_t hash;
  };

  uint32_t offset_of(std::string_view stored) const {
    return static_cast<uint32_t>(stored.data() - bytes_.data());
  }

  /// Whether a string was not in the index yet; then it is.
  bool index_new(const Hashed& hashed) {
    auto [string, hash] = hashed;
    if (string.empty()) return false;
    if (index_.find(hash, [&](uint32_t other) { return equals(other, string); }) != 0) return false;
    index_.insert(hash, offset_of(string));
    return true;
  }

  void index_appended() {
    while (index_end_ < bytes_.size()) {
      std::string_view string = at(static_cast<uint32_t>(index_end_));
      index_.insert(hash_bytes(string.data(), string.size()), static_cast<uint32_t>(index_end_));
      index_end_ += string.size() + 1;
    }
  }

  bool equals(uint32_t offset, std::string_view string) const {
    // The NUL that ends the stored string stops a comparison that would run on.
    return bytes_.size() - offset > string.size() && bytes_[offset + string.size()] == '\0' &&
           std::string_view(&bytes_[offset], string.size()) == string;
  }

  std::vector<char> bytes_;
  HashIndex index_;
  size_t index_end_ = 1;    ///< up to where strings are in the index
  size_t adopted_end_ = 0;  ///< up to where they are adopted
};

}  // namespace bpflink
