// The equivalence classes of the types of all inputs, by canonical key. dedup.cpp explains classes
// and anchors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/format/hash.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/format/string_table.hpp"

namespace bpflink {

/// A reference in a canonical key: a class, or anchor_bit and an anchor, which is a tag and stands
/// for all types that define or declare it.
using Reference = uint32_t;
inline constexpr Reference anchor_bit = 0x80000000;

/// Classes of types with equal canonical keys. A class is a number from 1 on; 0 is void. Its key
/// has the words of a BTF type, except that string offsets are those of this table and type ids are
/// References. A class has a higher number than the classes in its key, unless those are private.
///
/// A copy of a table can add classes of its own; absorb() adds these to the original.
class ClassTable {
 public:
  /// Whether keys are adapted as DedupOptions::for_kernel says, and there is a base.
  bool is_for_kernel = false, has_base = false;

  ClassTable() : extents_(1), anchors_of_(1), references_(1), is_private_(1), anchor_tags_(1) {}

  /// Reserves memory for the words of keys and the bytes of strings.
  void reserve(size_t words, size_t string_bytes) {
    words_.reserve(words);
    strings_.reserve(string_bytes);
  }

  StringTable& strings() { return strings_; }
  const StringTable& strings() const { return strings_; }

  uint32_t class_count() const { return static_cast<uint32_t>(extents_.size()); }
  uint32_t anchor_count() const { return static_cast<uint32_t>(anchor_tags_.size()); }

  /// The words of a class's key.
  std::span<const uint32_t> words(uint32_t type_class) const {
    Extent extent = extents_[type_class];
    return {words_.data() + extent.start, extent.count};
  }
  /// The key's first word; its kind and vlen give the length.
  const uint32_t* key(uint32_t type_class) const {
    return words_.data() + extents_[type_class].start;
  }

  /// The anchor that a class declares or defines, or 0.
  uint32_t anchor_of(uint32_t type_class) const { return anchors_of_[type_class]; }
  /// Whether a class defines an anchor.
  bool is_definition(uint32_t type_class) const {
    return anchor_of(type_class) != 0 && !is_declaration(key(type_class));
  }

  /// Whether a class declares an anchor.
  bool is_forward(uint32_t type_class) const {
    return anchor_of(type_class) != 0 && is_declaration(key(type_class));
  }
  /// Whether the types of an anchor, or of one tainted class, are better written with the key of
  /// one class than with that of another: a definition rather than a declaration. Declarations of
  /// an enum may differ in size; the least key does not depend on their order.
  bool is_better(uint32_t type_class, uint32_t than) const {
    if (is_definition(type_class) != is_definition(than)) return is_definition(type_class);
    return std::ranges::lexicographical_compare(words(type_class), words(than));
  }

  TagSpace anchor_space(uint32_t anchor) const {
    return static_cast<TagSpace>(anchor_tags_[anchor] >> 32);
  }
  uint32_t anchor_name(uint32_t anchor) const {
    return static_cast<uint32_t>(anchor_tags_[anchor]);
  }

  /// How keys refer to types of a class: by its anchor if it has one, otherwise by the class.
  Reference reference_to(uint32_t type_class) const { return references_[type_class]; }

  /// The anchor with a name (an offset of strings()).
  uint32_t intern_anchor(TagSpace space, uint32_t name);

  /// The class of the types with this key.
  uint32_t intern(std::span<const uint32_t> words);

  /// A new private class, of one type of one input. intern() never finds it. It is for an object,
  /// which equals only itself, and for a type that is referred to before its key is known. It has
  /// no key until define().
  uint32_t add_private();
  bool is_private(uint32_t type_class) const { return is_private_[type_class] != 0; }
  bool is_defined(uint32_t type_class) const { return extents_[type_class].count != 0; }
  void define(uint32_t type_class, std::span<const uint32_t> words);

  /// Whether some circle of types has no anchor. Its types have private classes.
  bool has_circles() const { return has_circles_; }
  void set_has_circles() { has_circles_ = true; }

  /// How much a table has.
  struct Snapshot {
    uint32_t classes = 1;
    uint32_t anchors = 1;
    uint32_t strings = 1;
  };
  Snapshot size() const { return {class_count(), anchor_count(), strings_.size()}; }
  /// Adds the classes of another table. Both began as copies of one table, which had the size
  /// `shared`. Returns this table's class by the other's.
  std::vector<uint32_t> absorb(const ClassTable& other, Snapshot shared);

  /// Replaces each class by its representative: keys refer to the representative, and no other
  /// class declares or defines an anchor.
  void merge(std::span<const uint32_t> representatives);

 private:
  bool has_words(uint32_t type_class, std::span<const uint32_t> words) const;
  uint32_t add(std::span<const uint32_t> words);

  struct Extent {
    uint32_t start = 0;
    uint32_t count = 0;
  };

  StringTable strings_;
  LargeVector<uint32_t> words_;
  LargeVector<Extent> extents_;
  std::vector<uint32_t> anchors_of_;
  std::vector<Reference> references_;
  std::vector<uint8_t> is_private_;
  HashIndex index_;
  bool has_circles_ = false;

  std::vector<uint64_t> anchor_tags_;  ///< tag space << 32 | name
  HashIndex anchor_index_;
};

}  // namespace bpflink
