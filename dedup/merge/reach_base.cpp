// Lists the types of the base that the inputs can reach. A kernel's base has a hundred thousand, a
// module a few thousand at most, so no other type of the base is looked at.
//
// A type of the base counts if an input refers to it, or if it has the shape (base_index.hpp) of a
// type of an input or of another one that counts: it may be equal. What it refers to must then be
// classified, except by tag, because the key has a tag's name alone:
//
//   base    [1] STRUCT task {...}  [2] PTR -> 1  [3] STRUCT ops {[2] task}   module  [4] PTR -> 3
//                                                               [3] and [2] count; [1] does not
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
  explicit BaseReach(Deduplication& d)
      : base_(*d.options.base),
        index_(base_index(*d.options.base)),
        counts_(base_.end_id()),
        types_(d.base_types) {}

  void add(const BtfView& input) {
    LargeVector<uint32_t> shapes = BaseIndex::find_shapes(input, &index_);
    for (uint32_t id = input.first_id(); id < input.end_id(); ++id) {
      std::span<const uint32_t> words = input.words_of(id);
      if (!is_object(kind_of(words.data()))) reach_shape(shapes[id - input.first_id()]);
      for_each_reference(words, [&](uint32_t child) {
        if (child < input.first_id()) pending_.push_back(child);
      });
    }
    while (!pending_.empty()) {
      uint32_t id = pending_.back();
      pending_.pop_back();
      if (id == 0 || counts_[id]) continue;
      if (is_object(base_.kind(id)))
        count(id, false);
      else
        reach_shape(index_.shape_of(id));
    }
  }

 private:
  /// All types of a shape count, or none.
  void reach_shape(uint32_t shape) {
    of_shape_.clear();
    index_.for_each_of_shape(shape, [&](uint32_t id) {
      if (counts_[id]) return false;
      of_shape_.push_back(id);
      return true;
    });
    for (uint32_t id : of_shape_) count(id, of_shape_.size() > 1);
  }

  void count(uint32_t id, bool with_tags) {
    counts_[id] = true;
    types_.push_back(id);
    const BtfView* link = &base_;
    while (id < link->first_id()) link = link->base();
    for_each_reference(link->words_of(id), [&](uint32_t child) {
      // What a link refers to in the one below has a class when the link's own types get theirs.
      if (with_tags || child < link->first_id() || !has_tag(child)) pending_.push_back(child);
    });
  }

  bool has_tag(uint32_t id) const {
    BtfType type = base_.type(id);
    return tag_space(type) != TagSpace::None && !base_.name(type).empty();
  }

  BtfView base_;
  const BaseIndex& index_;
  std::vector<bool> counts_;      ///< by id
  std::vector<uint32_t>& types_;  ///< those that count
  std::vector<uint32_t> pending_, of_shape_;
};

}  // namespace

void reach_base(Deduplication& d) {
  if (d.options.base == nullptr) return;
  d.base_classes.resize(d.options.base->end_id());
  BaseReach reach(d);
  for (const Input& input : d.inputs) reach.add(input.types());
  std::ranges::sort(d.base_types);
}

}  // namespace bpflink
