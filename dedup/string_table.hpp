// A string section in the making: every string once.
#pragma once

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
    uint32_t hash = hash_bytes(string.data(), string.size());
    uint32_t found = index_.find(hash, [&](uint32_t offset) { return equals(offset, string); });
    if (found != 0) return found;
    auto offset = static_cast<uint32_t>(bytes_.size());
    bytes_.insert(bytes_.end(), string.begin(), string.end());
    bytes_.push_back('\0');
    index_.insert(hash, offset);
    return offset;
  }

  /// Takes the strings of a section, one after another and each with its NUL, the
  /// empty one first, where they stand. Calls `found(offset)` for each of them
  /// that was not there before. The table must be empty.
  template <class Found>
  void adopt(std::string_view section, Found&& found) {
    bytes_.assign(section.begin(), section.end());
    found(0);
    for (size_t offset = 1; offset < section.size();) {
      std::string_view string = section.data() + offset;
      uint32_t hash = hash_bytes(string.data(), string.size());
      bool is_new = !string.empty() && index_.find(hash, [&](uint32_t other) {
        return equals(other, string);
      }) == 0;
      if (is_new) {
        index_.insert(hash, static_cast<uint32_t>(offset));
        found(static_cast<uint32_t>(offset));
      }
      offset += string.size() + 1;
    }
  }

  /// The string at an offset that intern() returned.
  std::string_view at(uint32_t offset) const { return bytes_.data() + offset; }

  const std::vector<char>& bytes() const { return bytes_; }

 private:
  bool equals(uint32_t offset, std::string_view string) const {
    // The NUL that ends the stored string stops a comparison that would run on.
    return bytes_.size() - offset > string.size() && bytes_[offset + string.size()] == '\0' &&
           std::string_view(&bytes_[offset], string.size()) == string;
  }

  std::vector<char> bytes_;
  HashIndex index_;
};

}  // namespace bpflink
