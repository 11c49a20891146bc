// Functions of BtfBuilder that are not public.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/format/kinds.hpp"

namespace bpflink {

/// Adds different, new strings, each with its NUL, to a builder without a base. They follow the
/// strings that it has.
void add_new_strings(BtfBuilder& types, std::string_view strings);

/// Makes the strings of a builder without strings begin with a section, whose offsets stay valid.
/// The section is from a blob with the same base.
void begin_with_strings(BtfBuilder& types, std::string_view strings);

/// Lets finish() write types with a vlen above 0xffff, because an input has some.
void allow_wide_vlen(BtfBuilder& types);

/// Adds type `id` of `from`, or of its base, whose references become `new_id(reference)`. Returns
/// its id. Its kind must be known.
template <typename NewId>
uint32_t copy_type(BtfBuilder& types, const BtfView& from, uint32_t id, NewId new_id) {
  uint32_t copy = types.add_type(from.type(id).words());
  for_each_string(types.mutable_words(copy),
                  [&](uint32_t& word) { word = types.add_string(from.string(word)); });
  for_each_reference(types.mutable_words(copy), [&](uint32_t& word) { word = new_id(word); });
  return copy;
}

/// Keeps the types whose ids `order` lists, in that order, and their strings alone. They must not
/// refer to others, and all kinds must be known. Returns the new id by the old, 0 for removed
/// types.
std::vector<uint32_t> rearrange_types(BtfBuilder& types, std::span<const uint32_t> order);

/// Reserves room for `count` types of `words` words in all, and for strings.
void reserve(BtfBuilder& types, size_t count, size_t words, size_t string_bytes);

}  // namespace bpflink
