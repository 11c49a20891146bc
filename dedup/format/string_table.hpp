// Builds a string section with every string once.
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

/// Interns strings. They are stored one after another, each with its NUL, the
/// empty one first, which is what a BTF string section is. Copies are independent.
class StringTable {
 public:
  StringTable() : bytes_(1, '\0') {}

  /// The offset of `string`, which must not contain NUL. Throws std::length_error where it does not
  /// fit any more.
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

  /// Adds strings that are not empty and were not added yet, each with its NUL. They are
  /// hashed when the next one is looked for.
  void append_all(std::string_view strings) {
    bytes_.insert(bytes_.end(), strings.begin(), strings.end());
  }

  /// Begins a table without strings with those of a section, which may have some twice. The first
  /// one need not be empty, as in split BTF; it is stored again if it is interned.
  void begin_with(std::string_view section) {
    if (section.empty()) return;
    bytes_.assign(section.begin(), section.end());
    index_end_ = static_cast<uint32_t>(section.find('\0')) + 1;
  }

  /// Has strings take so many bytes at most, if not fewer.
  void limit(size_t bytes) { max_size_ = std::min(max_size_, bytes); }

  /// Makes room for so many bytes.
  void reserve(size_t bytes) { bytes_.reserve(bytes); }

  /// The string at an offset that intern() returned.
  std::string_view at(uint32_t offset) const { return text(offset); }
  /// The same, which ends with NUL.
  const char* text(uint32_t offset) const { return bytes_.data() + offset; }

  /// How many bytes the strings take.
  uint32_t size() const { return static_cast<uint32_t>(bytes_.size()); }
  std::span<const char> bytes() const { return bytes_; }

  /// Has strings that were appended be found, which intern() does else.
  void index() {
    if (index_end_ == size()) return;
    constexpr size_t usual_size = 16;
    index_.reserve((size() - index_end_) / usual_size);
    while (index_end_ < size()) {
      std::string_view string = at(index_end_);
      // A section may have one string any number of times: once is enough.
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

  std::vector<char> bytes_;
  size_t max_size_ = std::numeric_limits<uint32_t>::max();
  HashIndex index_;
  uint32_t index_end_ = 1;  ///< up to where strings are in the index
};

}  // namespace bpflink
