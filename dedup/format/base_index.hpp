// An index of BTF that others are split from: its strings by text, its types by shape. Thousands of
// modules may be deduplicated against one base, so nothing that is done for one of them looks at
// all types of the base.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/format/hash.hpp"

namespace bpflink {

/// The index of one Btf. It goes on in that of the Btf's own base.
class BaseIndex {
 public:
  explicit BaseIndex(const Btf& btf);

  /// The first offset of a string, or 0 if neither this Btf nor its base has it.
  uint32_t find_string(std::string_view string, uint32_t hash) const;
  /// Whether the string at an offset is certainly not empty, and the first of its text.
  bool is_first_string(uint32_t offset) const;

  /// The shapes of types, from `types.first_id()` on: hashes that equal types have in common. A
  /// tag's definitions and declarations have one shape, by its name. That of another type with a
  /// name is its kind and name; that of a type without one follows its references to names, but not
  /// far. `base` is the index of the base of `types`, or null.
  static LargeVector<uint32_t> find_shapes(const BtfView& types, const BaseIndex* base);
  /// The shape of a type.
  uint32_t shape_of(uint32_t id) const {
    return id < types_.first_id() ? base_->shape_of(id) : shapes_[id - types_.first_id()];
  }
  /// Calls `visit(id)` for each type of a shape that is not an object, until it returns false.
  template <typename Visit>
  void for_each_of_shape(uint32_t shape, Visit visit) const {
    for (const BaseIndex* link = this; link != nullptr; link = link->base_)
      for (uint32_t id = link->first_[shape & link->mask()]; id != 0;
           id = link->next_[id - link->types_.first_id()])
        if (link->shapes_[id - link->types_.first_id()] == shape && !visit(id)) return;
  }

 private:
  static uint32_t find_shape(const BtfView& types, const BaseIndex* base,
                             std::span<const uint32_t> shapes, uint32_t id, unsigned depth);
  void index_strings();
  void index_types();
  uint32_t mask() const { return static_cast<uint32_t>(first_.size()) - 1; }

  const BaseIndex* base_;
  BtfView types_;
  HashIndex strings_;               ///< offsets
  bool strings_are_unique_ = true;  ///< also among those of the base
  LargeVector<uint32_t> shapes_;    ///< from types_.first_id() on
  /// Lists of types, one for each value of the last bits of shapes.
  LargeVector<uint32_t> first_, next_;
};

/// The index of a Btf, made at the first call. Any thread may call it.
const BaseIndex& base_index(const Btf& btf);

}  // namespace bpflink
