// Pass: merge equal circles that no tag breaks.
//
// C cannot make a typedef that refers to itself through a pointer, but other compilers can. The
// type that closes such a circle has no key yet when it is reached, so the classifier gives it a
// private class. As a result, equal circles, and all types that refer to them, have different
// classes:
//
//   a.o   [1] TYPEDEF list -> 2   [2] PTR -> 1       classes 1 (private) and 2
//   b.o   [1] TYPEDEF list -> 2   [2] PTR -> 1       classes 3 (private) and 4
//
// Partition refinement of all classes merges them: two classes differ only if their keys, or the
// classes on some path from them, differ. Tags are still compared by name. The time is n log n in
// the classes, and nothing if there are no such circles.
#include <numeric>
#include <vector>

#include "dedup/merge/deduplication.hpp"
#include "dedup/merge/interner.hpp"
#include "dedup/merge/refine.hpp"

namespace bpflink {

namespace {

/// Colors each class by its key, in which references to other classes count as equal. Each object
/// and void get a color of their own.
std::vector<uint32_t> color_by_words(const Deduplication& d) {
  std::vector<uint32_t> colors(d.table.class_count());
  Interner words;
  std::vector<uint32_t> key;
  for (uint32_t c = 1; c < colors.size(); ++c) {
    key.assign(d.table.words(c).begin(), d.table.words(c).end());
    if (is_object(kind_of(key.data()))) key.push_back(c);
    for_each_reference(std::span(key).first(d.table.words(c).size()), [](Reference& r) {
      constexpr Reference any_class = UINT32_MAX;
      if ((r & anchor_bit) == 0 && r != 0) r = any_class;
    });
    colors[c] = words.intern(key);
  }
  return colors;
}

Graph references_of(const ClassTable& table) {
  Graph references;
  for (uint32_t c = 0; c < table.class_count(); ++c) {
    if (c != 0)
      for_each_reference(table.words(c), [&](Reference r) {
        if ((r & anchor_bit) == 0 && r != 0) references.targets.push_back(r);
      });
    references.end_node();
  }
  return references;
}

}  // namespace

void merge_circles(Deduplication& d) {
  if (!d.table.has_circles()) return;
  std::vector<uint32_t> colors = refine(references_of(d.table), color_by_words(d));
  std::vector<uint32_t> first(colors.size());  // by color: its first class
  std::vector<uint32_t> representatives(colors.size());
  for (uint32_t c = 1; c < colors.size(); ++c) {
    if (first[colors[c]] == 0) first[colors[c]] = c;
    representatives[c] = first[colors[c]];
  }
  d.table.merge(representatives);
  auto redirect = [&](TypeClasses& classes) {
    for (uint32_t& type_class : classes)
      if (type_class != omitted_class) type_class = representatives[type_class];
  };
  for (uint32_t id : d.base_types) d.base_classes[id] = representatives[d.base_classes[id]];
  for (Input& input : d.inputs) redirect(input.class_of_type);
}

}  // namespace bpflink
