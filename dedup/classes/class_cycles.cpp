// Classes of which no type contains itself.
//
// Types that are equal contain equal types, so a type that contains itself is of
// a class that does. There are far fewer classes than types; and but for local
// ones, a class has a higher number than those that it refers to other than by
// name. So in ascending order, a class is sound as soon as the names are that it
// contains. A few passes over what is left settle all but the strangest cases.
#include "dedup/classes/class_cycles.hpp"

#include <algorithm>

#include "dedup/format/kinds.hpp"

namespace bpflink {

namespace {

constexpr int max_passes = 16;

/// Puts different numbers below `end` in order, in time that depends on both.
void sort(std::vector<uint32_t>& numbers, uint32_t end) {
  std::vector<bool> is_there(end);
  for (uint32_t number : numbers) is_there[number] = true;
  numbers.clear();
  for (uint32_t number = 0; number < end; ++number)
    if (is_there[number]) numbers.push_back(number);
}

}  // namespace

bool may_contain_themselves(const TypeTable& table, std::vector<uint32_t> classes) {
  sort(classes, table.class_count());
  // How many of the classes of an anchor are not known to be sound.
  std::vector<uint32_t> doubts(table.anchor_count());
  std::vector<bool> is_sound(table.class_count());
  for (uint32_t c : classes) ++doubts[table.anchor_of(c)];
  auto settle = [&](uint32_t c) {
    std::span<const uint32_t> words = table.words(c);
    bool result = true;
    if (!is_leaf(kind_of(words.data())))
      for_each_reference(words, [&](Reference r) {
        if (r == 0) return;
        // A declaration may stand for any definition of its name, even where it is
        // referred to as a class.
        uint32_t anchor = r & anchor_bit ? r & ~anchor_bit : table.anchor_of(r);
        result &= anchor != 0 ? doubts[anchor] == 0 : is_sound[r];
      });
    if (!result) return false;
    is_sound[c] = true;
    --doubts[table.anchor_of(c)];
    return true;
  };
  for (int pass = 0; pass < max_passes && !classes.empty(); ++pass) std::erase_if(classes, settle);
  return !classes.empty();
}

}  // namespace bpflink
