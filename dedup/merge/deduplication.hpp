// The state of one deduplication. dedup.cpp explains it and lists the passes over it.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bpflink/dedup.hpp"
#include "dedup/format/access.hpp"
#include "dedup/merge/class_table.hpp"
#include "dedup/merge/classifier.hpp"
#include "dedup/merge/graph.hpp"

namespace bpflink {

/// The class of each type of an input or of the base: a class of the table, `omitted_class`, or,
/// after find_tainted_classes(), a tainted class: class_count() of the table plus its number.
using TypeClasses = std::vector<uint32_t>;

struct Input {
  std::string name;
  Btf btf;
  TypeClasses class_of_type;   ///< from btf.first_id() on
  bool has_omissions = false;  ///< whether some types are omitted

  const BtfView& types() const { return btf; }
  std::span<const uint32_t> objects() const { return objects_of(btf); }
};

/// The equivalence classes of tainted types, numbered from 0 on.
struct TaintedClasses {
  /// By class, and by anchor: whether its types are tainted. Empty if no type is.
  std::vector<uint8_t> is_class_tainted, is_anchor_tainted;

  std::vector<uint32_t> classes;  ///< by tainted class: the class with the key of its types
  /// By tainted class: the tainted classes that its types refer to, in the order of the key.
  Graph references;

  bool is_tainted(Reference reference) const {
    if (classes.empty()) return false;
    return (reference & anchor_bit ? is_anchor_tainted[reference & ~anchor_bit]
                                   : is_class_tainted[reference]) != 0;
  }
};

/// A type that may be the first of its class.
struct FirstType {
  uint32_t input;  ///< index of its input
  uint32_t index;  ///< in Input::class_of_type
};

struct Deduplication {
  DedupOptions options;
  std::vector<Input> inputs;
  std::vector<BtfKindLayout> layout;
  std::optional<Error> failure;  ///< the first error of adding inputs, which run() returns

  ClassTable table;
  /// The types of the base that count, in order of their ids, and the class of each of them by id;
  /// 0 for void.
  std::vector<uint32_t> base_types;
  TypeClasses base_classes{0};
  bool is_base_whole() const { return base_types.size() + 1 == base_classes.size(); }
  TaintedClasses tainted_classes;
  std::vector<FirstType> first_types;  ///< of all inputs, in order of inputs and ids
};

/// Lists the types of the base that the inputs can reach.
void reach_base(Deduplication& d);

/// Finds the class of each type of the base that counts and of all inputs. Errors: a type that
/// stays refers to an omitted one; there are more types or strings than the table has numbers for.
std::expected<void, Error> classify_types(Deduplication& d);

/// Finds the class of each type of the base that did not count before.
void complete_base(Deduplication& d);

/// Merges equal classes of types in circles that no tag breaks, and of their referrers.
void merge_circles(Deduplication& d);

/// Finds the tainted classes and the definitions that declarations resolve to. Lists the types that
/// may be the first of their class. Errors: inputs whose definitions differ in so many ways that
/// declarations cannot be resolved in reasonable time.
std::expected<void, Error> find_tainted_classes(Deduplication& d);

/// Writes one type for each class, in order of first occurrence. Consumes the `class_of_type` of
/// the inputs, which become their type maps. Errors: an input has types of unknown kinds, and its
/// ids or string offsets would change.
std::expected<DedupResult, Error> write_types(Deduplication& d);

}  // namespace bpflink
