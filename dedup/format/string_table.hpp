// Builds a string section that has every string once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "dedup/format/hash.hpp"

namespace bpflink {

/// Interns strings. They are stored as a BTF string section: one after another, each with its NUL,
/// the empty one first. Copies are independent.
class StringTable {
 public:
  StringTable() : bytes_(1, '\0') {}

  /// The offset of `string`, which must not contain NUL. Throws std::length_error if it does not
  /// fit.
  uint32_t intern(std::string_view string) {
    if (string.empty()) return 0;
    index();
    uint32_t hash = hash_bytes(string.data(), string.size());
    uint32_t found = index_.find(hash, [&](uint32_t offset) { return equals(offset, string); });
    if (found != 0) return found;
    if (bytes_.size() + string.size() >= max_size_)
      throw std::length_error("too many bytes of strings");
    uint32_t offset = size();
    bytes_.insert(bytes_.end(), string.begin(), string.end());
    bytes_.push_back('\0');
    index_.insert(hash, offset);
    index_end_ = size();
    return offset;
  }

  /// Adds new strings that are not empty, each with its NUL. They are hashed at the next intern().
  void append_all(std::string_view strings) {
    bytes_.insert(bytes_.end(), strings.begin(), strings.end());
  }

  /// Fills an empty table with the strings of a section, which may have some twice. In split BTF
  /// the first one need not be empty; it is stored again if it is interned.
  void begin_with(std::string_view section) {
    if (section.empty()) return;
    bytes_.assign(section.begin(), section.end());
    index_end_ = static_cast<uint32_t>(section.find('\0')) + 1;
  }

  /// Limits the strings to `bytes`, if they have no lower limit.
  void limit(size_t bytes) { max_size_ = std::min(max_size_, bytes); }

  /// Reserves room for `bytes`.
  void reserve(size_t bytes) { bytes_.reserve(bytes); }

  /// The string at an offset that intern() returned.
  std::string_view at(uint32_t offset) const { return text(offset); }
  /// The same as a C string.
  const char* text(uint32_t offset) const { return bytes_.data() + offset; }

  /// The size of the section in bytes.
  uint32_t size() const { return static_cast<uint32_t>(bytes_.size()); }
  std::span<const char> bytes() const { return bytes_; }

  /// Hashes strings that were appended. intern() calls it; call it before copying a table.
  void index() {
    if (index_end_ == size()) return;
    constexpr size_t usual_size = 16;
    index_.reserve((size() - index_end_) / usual_size);
    while (index_end_ < size()) {
      std::string_view string = at(index_end_);
      // A section may repeat a string; only the first is indexed.
      uint32_t hash = hash_bytes(string.data(), string.size());
      bool is_known = string.empty() || index_.find(hash, [&](uint32_t offset) {
        return equals(offset, string);
      }) != 0;
      if (!is_known) index_.insert(hash, index_end_);
      index_end_ += static_cast<uint32_t>(string.size()) + 1;
    }
  }

 private:
  bool equals(uint32_t offset, std::string_view string) const {
    // The NUL that ends the stored string stops a comparison that would run on.
    const char* stored = text(offset);
    return size() - offset > string.size() && stored[string.size()] == '\0' &&
           std::string_view(stored, string.size()) == string;
  }

  LargeVector<char> bytes_;
  size_t max_size_ = std::numeric_limits<uint32_t>::max();
  HashIndex index_;
  uint32_t index_end_ = 1;  ///< strings before this offset are in the index
};

}  // namespace bpflink
