// Cuts an input where no reference crosses.
//
// A blob may hold the types of many units one after another, as that of a kernel
// does before it is deduplicated. Within one unit a name means one thing, within
// the blob it need not; so it helps to have the units back. Between two of them
// no reference crosses, as each brings all that it refers to.
//
// Two kinds of references do not count. What reaches no name means the same
// everywhere, and the program that put the blob together may have made one type
// of it that all units refer to, as pahole does with the type of array indices.
// And a DATASEC may be far from its variables; these have a class each, and need
// no name to be found. (It may have functions, too, which do not.)
//
// One pass from the first type to the last finds the places. A type that no
// reference before it reaches may begin a part; it is put on a stack, and taken
// off again when a type after it refers to what is before it.
#include "dedup/ambiguity/parts.hpp"

#include <algorithm>

#include "dedup/classes/canonicalize.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/format/type_section.hpp"

namespace bpflink {

namespace {

/// By class: whether it can reach an anchor, or a circle, which are all that may
/// come to mean different things.
std::vector<bool> find_reaching_names(std::vector<uint32_t> classes, const TypeTable& table) {
  std::vector<bool> reaches(table.class_count());
  for (uint32_t c : table.reserved()) reaches[c] = true;
  // But for those, a class has a higher number than those that it refers to.
  std::ranges::sort(classes);
  for (uint32_t c : classes) {
    if (table.anchor_of(c) != 0 || is_object(table.words(c).data())) reaches[c] = true;
    for_each_reference(table.words(c), [&](Reference r) {
      if ((r & anchor_bit) != 0 || reaches[r]) reaches[c] = true;
    });
  }
  return reaches;
}

}  // namespace

std::vector<uint32_t> find_parts(const Btf& btf, std::span<const uint32_t> classes,
                                 std::vector<uint32_t> seen, const TypeTable& table) {
  const TypeSection& types = type_section(btf);
  std::vector<bool> reaches_name = find_reaching_names(std::move(seen), table);
  std::vector<uint32_t> begins;
  uint32_t farthest = 0;  ///< that a type so far refers to
  for (uint32_t i = 0; i < classes.size(); ++i) {
    if (i == 0 || farthest < i) begins.push_back(i);
    if (classes[i] == omitted_class || !reaches_name[classes[i]]) continue;
    std::span<const uint32_t> words = types.at(types.first_id + i).words();
    bool is_datasec = kind_of(words.data()) == BTF_KIND_DATASEC;
    uint32_t nearest = i;
    for_each_reference(words, [&](uint32_t child) {
      if (child < types.first_id) return;
      child -= types.first_id;
      if (!reaches_name[classes[child]]) return;
      if (is_datasec && is_object(table.words(classes[child]).data())) return;
      nearest = std::min(nearest, child);
      farthest = std::max(farthest, child);
    });
    while (begins.back() > nearest) begins.pop_back();
  }
  return begins;
}

}  // namespace bpflink
