// The state of one deduplication. dedup.cpp explains it and lists the passes over it.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bpflink/dedup.hpp"
#include "dedup/ambiguity/refine.hpp"
#include "dedup/classes/class_table.hpp"
#include "dedup/classes/classifier.hpp"
#include "dedup/format/access.hpp"
#include "dedup/format/type_section.hpp"

namespace bpflink {

/// What the types of an input or of the base are, by index. An element is the class of a type,
/// `omitted_class`, or, once find_meanings() has settled what tainted types mean, class_count()
/// of the table and a meaning above it.
using Elements = std::vector<uint32_t>;

struct Input {
  std::string name;
  Btf btf;
  Elements elements;           ///< from btf.first_id() on
  bool has_omissions = false;  ///< whether some are omitted

  const BtfView& types() const { return btf; }
  std::span<const uint32_t> objects() const { return objects_of(btf); }
};

/// What tainted types mean, in numbers from 0 on: types of equal meaning are equal.
struct Meanings {
  /// Whether types of a class, or what has the tag of an anchor, are tainted. Empty where nothing
  /// is.
  std::vector<uint8_t> taints_class, taints_anchor;

  std::vector<uint32_t> classes;  ///< by meaning: the class whose key its types have
  /// By meaning: those of the tainted types that its types refer to, in the order of the key.
  Graph references;

  bool is_tainted(Reference reference) const {
    if (classes.empty()) return false;
    return (reference & anchor_bit ? taints_anchor[reference & ~anchor_bit]
                                   : taints_class[reference]) != 0;
  }
};

/// A type that may be the first of those that mean the same.
struct FirstType {
  uint32_t input;  ///< its index
  uint32_t index;  ///< of its element
};

struct Deduplication {
  DedupOptions options;
  std::vector<Input> inputs;
  std::vector<BtfKindLayout> layout;
  std::optional<Error> failure;  ///< of an addition

  ClassTable table;
  Elements base_elements{0};  ///< by id of the base, 0 for void
  Meanings meanings;
  std::vector<FirstType> firsts;  ///< of all inputs, in order
};

/// Gives each type of all inputs its class. Errors: a type that stays refers to an omitted one;
/// there are more types or strings than the table's numbers can tell apart.
std::expected<void, Error> classify_types(Deduplication& d);

/// Merges the private classes of types in circles that no tag breaks, and those that refer to
/// them, where they are equal.
void merge_circles(Deduplication& d);

/// Tells tainted types of one class apart, and finds which definitions declarations stand for.
/// Lists the types that may be the first of those that mean the same.
void find_meanings(Deduplication& d);

/// Numbers the types that are left in order of first occurrence and writes them down. Consumes
/// the elements of the inputs, which become their type maps. Errors: ids or strings would change
/// of an input that has types of unknown kinds.
std::expected<DedupResult, Error> write_types(Deduplication& d);

}  // namespace bpflink
