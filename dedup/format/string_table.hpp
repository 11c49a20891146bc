// Builds a string section that has every string once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dedup/format/base_index.hpp"
#include "dedup/format/hash.hpp"

namespace bpflink {

/// Interns strings. They are stored as a BTF string section: one after another, each with its NUL,
/// the empty one first. Strings of a base are not stored again; the offsets of others continue its
/// own. Copies are independent.
class StringTable {
 public:
  /// `base` is null or outlives the table.
  explicit StringTable(const Btf* base = nullptr)
      : base_(base), begin_(base != nullptr ? base->string_end() : 0), bytes_(1, '\0') {}

  /// The offset of `string`, which must not contain NUL. Throws std::length_error if it does not
  /// fit.
  uint32_t intern(std::string_view string) {
    if (string.empty()) return 0;
    index();
    uint32_t hash = hash_bytes(string.data(), string.size());
    uint32_t found = base_ != nullptr ? base_index(*base_).find_string(string, hash) : 0;
    if (found == 0)
      found = index_.find(hash, [&](uint32_t offset) { return equals(offset, string); });
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
    index_end_ = begin_ + static_cast<uint32_t>(section.find('\0')) + 1;
  }

  /// Limits the strings to `bytes`, if they have no lower limit.
  void limit(size_t bytes) { max_size_ = std::min(max_size_, bytes); }
  size_t limit() const { return max_size_; }

  /// Reserves room for `bytes`.
  void reserve(size_t bytes) { bytes_.reserve(bytes); }

  /// The string at an offset that intern() returned.
  std::string_view at(uint32_t offset) const { return text(offset); }
  /// The same as a C string.
  const char* text(uint32_t offset) const {
    return offset < begin_ ? base_->string(offset).data() : bytes_.data() + (offset - begin_);
  }
  /// The offset that intern() returns for the base's string at an offset.
  uint32_t intern_of_base(uint32_t offset) {
    if (base_index(*base_).is_first_string(offset)) return offset;
    auto [known, is_new] = of_base_.try_emplace(offset);
    if (is_new) known->second = intern(base_->string(offset));
    return known->second;
  }

  /// Where offsets of strings begin that are not the base's.
  uint32_t begin() const { return begin_; }
  /// Where they end: without a base, the size of the section in bytes.
  uint32_t size() const { return begin_ + static_cast<uint32_t>(bytes_.size()); }
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

  const Btf* base_;
  uint32_t begin_;
  /// Offsets here, by those of the base that are not the first of their text. There are hardly any.
  std::unordered_map<uint32_t, uint32_t> of_base_;
  LargeVector<char> bytes_;
  size_t max_size_ = std::numeric_limits<uint32_t>::max();
  HashIndex index_;
  uint32_t index_end_ = begin_ + 1;  ///< strings before this offset are in the index
};

}  // namespace bpflink
