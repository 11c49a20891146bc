// The distinct types of all inputs, in canonical form. deduplicator.cpp says
// what classes and anchors are for.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/classes/hash.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/format/string_table.hpp"

namespace bpflink {

/// The name spaces of C's tags. A forward declaration says which it is of.
enum class TagSpace : uint8_t { structs, unions, enums, none };

/// A reference in canonical form: to a class, or to whatever type has the name
/// of an anchor.
using Reference = uint32_t;
inline constexpr Reference anchor_bit = 0x80000000;

/// By the upper 8 bits of a type's second word, its kind flag and kind.
inline constexpr std::array<TagSpace, 256> tag_spaces = [] {
  constexpr size_t kind_flag = 0x80;
  std::array<TagSpace, 256> spaces;
  spaces.fill(TagSpace::none);
  for (size_t flag : {size_t{0}, kind_flag}) {
    spaces[flag | BTF_KIND_STRUCT] = TagSpace::structs;
    spaces[flag | BTF_KIND_UNION] = TagSpace::unions;
    spaces[flag | BTF_KIND_ENUM] = spaces[flag | BTF_KIND_ENUM64] = TagSpace::enums;
    spaces[flag | BTF_KIND_FWD] = flag != 0 ? TagSpace::unions : TagSpace::structs;
  }
  return spaces;
}();

/// The tag space of a type with these words; `none` for a type without tag. A
/// name is what makes an anchor, so callers must look at that, too.
inline TagSpace tag_space(const uint32_t* words) {
  return tag_spaces[words[1] >> 24];
}

/// Whether an anchor is a forward declaration; an enum without enumerators is
/// the forward declaration of an enum.
inline bool is_declaration(const uint32_t* words) {
  uint8_t kind = kind_of(words);
  if (kind == BTF_KIND_FWD) return true;
  return (kind == BTF_KIND_ENUM || kind == BTF_KIND_ENUM64) && vlen_of(words) == 0;
}

/// Whether a type is an object rather than a type: two variables of one name
/// are two variables, and never merged.
inline bool is_object(const uint32_t* words) {
  return kind_of(words) == BTF_KIND_VAR || kind_of(words) == BTF_KIND_DATASEC;
}

/// Classes of equal types. A class is a number from 1 on; 0 is void. Its words
/// are those of a BTF type, but for string offsets, which are the table's own,
/// and type ids, which are References.
class TypeTable {
 public:
  TypeTable() : extents_(1), anchors_of_(1), references_(1), is_local_(1), anchor_tags_(1) {}

  StringTable& strings() { return strings_; }
  const StringTable& strings() const { return strings_; }

  uint32_t class_count() const { return static_cast<uint32_t>(extents_.size()); }
  uint32_t anchor_count() const { return static_cast<uint32_t>(anchor_tags_.size()); }

  size_t word_count() const { return words_.size(); }

  std::span<const uint32_t> words(uint32_t type_class) const {
    Extent extent = extents_[type_class];
    return {words_.data() + extent.start, extent.count};
  }

  /// The first of these words, for who knows from them how many there are.
  const uint32_t* form(uint32_t type_class) const {
    return words_.data() + extents_[type_class].start;
  }

  /// The anchor that a class declares or defines, or 0.
  uint32_t anchor_of(uint32_t type_class) const { return anchors_of_[type_class]; }

  TagSpace anchor_space(uint32_t anchor) const {
    return static_cast<TagSpace>(anchor_tags_[anchor] >> 32);
  }
  uint32_t anchor_name(uint32_t anchor) const {
    return static_cast<uint32_t>(anchor_tags_[anchor]);
  }

  /// How a type of a class is referred to: an anchor by name, all others and
  /// those that were reserved as a class.
  Reference reference_to(uint32_t type_class) const { return references_[type_class]; }
  /// The same of all classes, until one is added.
  std::span<const Reference> references() const { return references_; }

  /// Whether a class is what references to its anchor by name may mean.
  bool is_definition(uint32_t type_class) const {
    return (reference_to(type_class) & anchor_bit) != 0 &&
           !is_declaration(words(type_class).data());
  }

  /// Makes room for what an input of so many words may be expected to add. Returns how
  /// many classes there may be then without more room.
  size_t expect(size_t words);

  /// The anchor with a name (an offset of strings()).
  uint32_t intern_anchor(TagSpace space, uint32_t name);

  /// The class of the types with these words.
  uint32_t intern(std::span<const uint32_t> words);

  /// A new class that is never found by intern().
  uint32_t add(std::span<const uint32_t> words);

  /// A new class without words, for a type that is referred to before its words
  /// are known. is_reserved() until define(). Never found by intern(), and
  /// referred to as a class even if it turns out to be an anchor.
  uint32_t reserve();
  bool is_reserved(uint32_t type_class) const { return extents_[type_class].count == 0; }
  void define(uint32_t type_class, std::span<const uint32_t> words);

  /// Whether a class was reserved once, and stands for one type only.
  bool is_local(uint32_t type_class) const { return is_local_[type_class] != 0; }

  /// Frees what intern() takes, for when nothing more will be added.
  void release_index() { index_ = HashIndex(); }

  /// Adds all classes of another table, which has no reserved ones, but those that `known`, by
  /// class of the other table, says to have a class here already. Returns it with the classes of
  /// all.
  std::vector<uint32_t> absorb(const TypeTable& other, std::vector<uint32_t> known);

  /// The classes that reserve() made.
  const std::vector<uint32_t>& reserved() const { return reserved_; }

 private:
  bool has_words(uint32_t type_class, std::span<const uint32_t> words) const;

  struct Extent {
    uint32_t start = 0;
    uint32_t count = 0;
  };

  StringTable strings_;
  std::vector<uint32_t> words_;
  std::vector<Extent> extents_;
  std::vector<uint32_t> anchors_of_;
  std::vector<Reference> references_;
  std::vector<uint8_t> is_local_;
  HashIndex index_;

  std::vector<uint64_t> anchor_tags_;  ///< tag space << 32 | name
  HashIndex anchor_index_;
  std::vector<uint32_t> reserved_;
};

}  // namespace bpflink
