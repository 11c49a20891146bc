// A string section in the making: every string once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
  void reserve(size_t bytes) { bytes_.reserve(bytes); }

  /// Takes the strings of a section, one after another and each with its NUL, the
  /// empty one first, where they stand. The table must be empty. A string that is
  /// there twice is later found where it stands first.
  void adopt(std::string_view section) {
    bytes_.assign(section.begin(), section.end());
    adopted_end_ = bytes_.size();
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

  const LargeVector<char>& bytes() const { return bytes_; }

 private:
  void index_appended() {
    constexpr size_t usual_size = 16;
    index_.reserve((bytes_.size() - index_end_) / usual_size);
    while (index_end_ < bytes_.size()) {
      std::string_view string = at(static_cast<uint32_t>(index_end_));
      uint32_t hash = hash_bytes(string.data(), string.size());
      bool is_repeated =
          index_end_ < adopted_end_ && (string.empty() || index_.find(hash, [&](uint32_t offset) {
            return equals(offset, string);
          }) != 0);
      if (!is_repeated) index_.insert(hash, static_cast<uint32_t>(index_end_));
      index_end_ += string.size() + 1;
    }
  }

  bool equals(uint32_t offset, std::string_view string) const {
    // The NUL that ends the stored string stops a comparison that would run on.
    return bytes_.size() - offset > string.size() && bytes_[offset + string.size()] == '\0' &&
           std::string_view(&bytes_[offset], string.size()) == string;
  }

  LargeVector<char> bytes_;
  HashIndex index_;
  size_t index_end_ = 1;    ///< up to where strings are in the index
  size_t adopted_end_ = 0;  ///< up to where they are adopted
};

}  // namespace bpflink
