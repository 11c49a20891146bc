// Lists the types of the base that the inputs can reach. A kernel's base has a hundred thousand, a
// module a few thousand at most, so no other type of the base is looked at.
//
// A type of the base counts if an input refers to it, or if it has the shape (base_index.hpp) of a
// type of an input or of another one that counts: it may be equal. What it refers to must then be
// classified, except by tag: the key has a tag's name alone. So a struct of a tag that no input
// defines and that the base defines once is an *outline*, whose members do not count:
//
//   base    [1] STRUCT task {...}  [2] PTR -> 1  [3] STRUCT ops {[2] task}   module  [4] PTR -> 3
//                                                     [3] counts, as an outline; [1] and [2] do not
//
// Where several types of the base have one shape, they may have one key and still differ in what
// the tags in it mean, so those tags also count. An input's type has only tags that count. Thus in
// every class of two types or more all tags count, with all their definitions, which is all that
// telling such types apart takes (tainted_graph.hpp), and R1 and R3. Where a declaration may need
// R2, whatever its tag reaches counts: complete_base() goes on with the whole base.
#include <algorithm>

#include "dedup/format/access.hpp"
#include "dedup/merge/deduplication.hpp"

namespace bpflink {

namespace {

class BaseReach {
 public:
  explicit BaseReach(const Btf& base)
      : base_(base), index_(base_index(base)), marks_(base_.end_id()) {}

  void add(const Input& input) {
    const BtfView& types = input.types();
    Shapes shapes(types, &index_.shapes());
    for (uint32_t id = types.first_id(); id < types.end_id(); ++id) {
      std::span<const uint32_t> words = types.words_of(id);
      if (!is_object(kind_of(words.data())))
        reach_shape(shapes.of(id), is_composite(kind_of(words.data())));
      for_each_reference(words, [&](uint32_t child) {
        if (child < types.first_id()) reach(child);
      });
    }
  }

  void list(Deduplication& d) {
    follow();
    for (uint32_t id = 1; id < marks_.size(); ++id) {
      if (marks_[id] == 0) continue;
      d.base_types.push_back(id);
      if (is_outline(id)) d.outlines.push_back(id);
    }
  }

 private:
  static constexpr uint8_t counts = 1, with_members = 2, with_tags = 4;

  bool has_tag(uint32_t id) const {
    BtfType type = base_.type(id);
    return tag_space(type) != TagSpace::None && !base_.name(type).empty();
  }
  bool is_outline(uint32_t id) const {
    return (marks_[id] & with_members) == 0 && is_composite(base_.kind(id)) && has_tag(id);
  }
  void mark(uint32_t id, uint8_t marks) {
    if ((marks_[id] & marks) == marks) return;
    marks_[id] |= marks;
    pending_.push_back(id);
  }
  void reach(uint32_t id) {
    if (id == 0) return;
    if (is_object(base_.kind(id)))
      mark(id, counts);
    else
      reach_shape(index_.shapes().of(id), false);
  }

  /// All types of a shape have the same marks.
  void reach_shape(uint32_t shape, bool is_defined) {
    uint8_t marks = counts | (is_defined ? with_members : 0);
    of_shape_.clear();
    index_.for_each_of_shape(shape, [&](uint32_t id) {
      if (of_shape_.empty() && (marks_[id] & marks) == marks) return false;
      of_shape_.push_back(id);
      return true;
    });
    if (of_shape_.size() > 1) marks |= with_members | with_tags;
    for (uint32_t id : of_shape_) mark(id, marks);
  }

  void follow() {
    while (!pending_.empty()) {
      uint32_t id = pending_.back();
      pending_.pop_back();
      if (is_outline(id)) continue;
      const BtfView* link = &base_;
      while (id < link->first_id()) link = link->base();
      for_each_reference(link->words_of(id), [&](uint32_t child) {
        // What a link refers to in the one below has a class when the link's own types get theirs.
        if ((marks_[id] & with_tags) != 0 || child < link->first_id() || !has_tag(child))
          reach(child);
      });
    }
  }

  BtfView base_;
  const BaseIndex& index_;
  std::vector<uint8_t> marks_;  ///< by id
  std::vector<uint32_t> pending_, of_shape_;
};

}  // namespace

void reach_base(Deduplication& d) {
  if (d.options.base == nullptr) return;
  d.is_base_whole = false;
  d.base_classes.resize(d.options.base->end_id());
  BaseReach reach(*d.options.base);
  for (const Input& input : d.inputs) reach.add(input);
  reach.list(d);
}

}  // namespace bpflink
