#include "dedup/format/function_types.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dedup/format/kinds.hpp"

namespace bpflink {

uint32_t FunctionTypes::add(uint32_t name_off, uint32_t info, uint32_t type,
                            std::span<const uint32_t> extra) {
  index();
  words_ = {name_off, info, type};
  words_.insert(words_.end(), extra.begin(), extra.end());
  uint32_t hash = hash_of(words_);
  // Compares the current words: a FUNC may have got another prototype after it was hashed.
  uint32_t found =
      ids_.find(hash, [&](uint32_t id) { return std::ranges::equal(words_of(id), words_); });
  return found != 0 ? found : types_.add_type(words_);
}

bool FunctionTypes::name_parameters(std::span<uint32_t> words) {
  bool changed = false;
  for (size_t i = 0; i < words.size(); i += 2) {
    bool is_ellipsis = words[i] == 0 && words[i + 1] == 0;
    if (words[i] != 0 || is_ellipsis) continue;
    words[i] = types_.add_string(fmt::format("arg{}", i / 2 + 1));
    changed = true;
  }
  return changed;
}

/// Hashes the types that were added since the last call. FUNCs of the base are other functions.
void FunctionTypes::index() {
  for (; end_id_ < types_.end_id(); ++end_id_) {
    BtfType type = types_.type(end_id_);
    bool is_function = type.kind() == BtfKind::Func || type.kind() == BtfKind::DeclTag;
    if (type.kind() == BtfKind::FuncProto || (is_function && end_id_ >= types_.first_id()))
      ids_.insert(hash_of(type.words()), end_id_);
  }
}

/// The names of a prototype's parameters do not count: those of a base are other offsets.
uint32_t FunctionTypes::hash_of(std::span<const uint32_t> words) {
  if (kind_of(words.data()) != BtfKind::FuncProto)
    return hash_bytes(words.data(), words.size_bytes());
  hashed_words_.assign(words.begin() + 1, words.begin() + common_words);
  for (size_t i = common_words + 1; i < words.size(); i += 2) hashed_words_.push_back(words[i]);
  return hash_bytes(hashed_words_.data(), hashed_words_.size() * sizeof(uint32_t));
}

/// The words of a type, with the string offsets that add_string() returns: a base may have a string
/// twice. Valid until the next call.
std::span<const uint32_t> FunctionTypes::words_of(uint32_t id) {
  std::span<const uint32_t> words = types_.type(id).words();
  if (id >= types_.first_id()) return words;
  base_words_.assign(words.begin(), words.end());
  for_each_string(std::span(base_words_),
                  [&](uint32_t& offset) { offset = types_.add_string(types_.string(offset)); });
  return base_words_;
}

}  // namespace bpflink
