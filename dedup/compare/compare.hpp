// Compares two types under a policy of what counts, and finds where they first differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "bpflink/btf.hpp"

namespace bpflink {

/// What counts as a difference.
enum class ComparePolicy : uint8_t {
  /// All that deduplication tells apart. Deduplication itself compares keys
  /// (merge/classifier.cpp); this policy finds a difference again, for --explain.
  Identical,
  /// All that makes two declarations of one thing conflict in C. Typedefs, qualifiers, and names of
  /// integers of one size and sign do not count. An array without a length agrees with any array, a
  /// declaration with a definition, and behind a pointer, structs agree by name. Type tags of
  /// pointers count, because the verifier checks them, but not those in prototypes.
  CCompatible,
  /// What libbpf's linker rejects: kinds, names, sizes and members must agree; signs, enumerators,
  /// lengths of arrays, and members of structs behind a pointer need not. Here neither need the
  /// names of bit-fields and of padding, which mean nothing for the layout.
  LibbpfCompatible,
  /// The layouts of all structs, unions and enums that both types lead to: offsets of members,
  /// their type tags, and values of enumerators. compare_layouts.cpp has the rules.
  Layout,
};

/// One side of a difference.
struct DifferenceSide {
  uint32_t type = 0;        ///< the type there; 0 for void, or if only the other side has one
  std::string note = {};    ///< "at byte 8", "no such member", "B = 2"; may be empty
  uint32_t definition = 0;  ///< the struct, union or enum that contains the difference, if any
  int32_t member = -1;      ///< its member or enumerator, or -1
};

struct TypeDifference {
  std::string path;    ///< the C expression of what differs: "v.next->at", "*v", "f (parameter 1)"
  std::string member;  ///< the member of it that differs: ".y", or "" for the whole
  DifferenceSide a, b;
  bool is_of_tags = false;  ///< only the type tags of pointers differ (`__kptr`, `__arena`)

  /// Path and member: "v.next->at.y", "v->y".
  std::string place() const;
};

/// Walks two types in parallel, breadth first, so that the first difference has the shortest path.
/// Each pair of types is compared once. A pair met again counts as equal: if it is not, its
/// difference is found where it was met first.
class TypeComparison {
 public:
  /// The largest number of members and pairs to compare, more than any source has. The rest counts
  /// as equal.
  static constexpr size_t max_work = 1 << 20;

  /// `a` and `b` may be the same blob. Then equal ids are equal types.
  TypeComparison(const BtfView& a, const BtfView& b, ComparePolicy policy)
      : a_(a), b_(b), policy_(policy), is_one_view_(a.words().data() == b.words().data()) {}

  /// The first difference of two types. `path` is the C expression for both.
  std::optional<TypeDifference> run(uint32_t a, uint32_t b, std::string_view path) {
    begin(a, b, path);
    return next();
  }

  /// Adds two types to compare. next() returns one difference after another, then nothing. Only the
  /// layout policy finds more than one.
  void begin(uint32_t a, uint32_t b, std::string_view path);
  std::optional<TypeDifference> next();

  /// How many pairs and members were compared, plus the argument of continue_from().
  size_t work() const { return work_; }
  void continue_from(size_t work) { work_ = work; }

  // For the layout policy.
  /// Whether two types need not be compared.
  std::function<bool(uint32_t a, uint32_t b)> is_settled = [](uint32_t, uint32_t) { return false; };
  /// Whether definitions of a name may differ. They are not compared.
  std::function<bool(std::string_view name)> may_differ = [](std::string_view) { return false; };

 private:
  static constexpr size_t no_parent = SIZE_MAX;

  /// Two definitions and their common name, a tag or a typedef.
  struct Named {
    std::string_view name;
    uint32_t a, b;
  };
  /// Two types to compare, and how they were reached.
  struct Pair {
    uint32_t a, b;
    size_t parent;      ///< the pair that refers to this one
    std::string label;  ///< the step from there: "->", ".x", "[]"
    bool behind_pointer;
    bool in_prototype;  ///< reached through a function's prototype
    Named owner;        ///< the nearest named definitions that contain them; for the layout policy
  };
  using Found = std::optional<TypeDifference>;

  bool is(ComparePolicy policy) const { return policy_ == policy; }
  void add_pair(uint32_t a, uint32_t b, std::string label, bool behind_pointer, Named owner = {});
  Found compare(const Pair& pair);
  Found compare_tags(const Pair& pair, BtfType a, BtfType b);
  Found compare_records(const Pair& pair, BtfType a, BtfType b);
  Found compare_enums(const Pair& pair, BtfType a, BtfType b);
  Found compare_prototypes(const Pair& pair, BtfType a, BtfType b);
  Found compare_words(const Pair& pair, BtfType a, BtfType b);
  Found differ(const Pair& pair, std::string note_a = {}, std::string note_b = {},
               int32_t member = -1) const;
  Found differ_at_member(const Pair& pair, uint32_t i, std::string note_a,
                         std::string note_b) const;
  std::string path_to(size_t at) const;

  Found compare_layouts(const Pair& pair, BtfType a, BtfType b);
  Found compare_record_pair(const Pair& pair);
  Found in_owner(const Pair& pair, TypeDifference difference) const;
  Found compare_type_tags(const Pair& pair, uint32_t a, uint32_t b, std::string member) const;
  Named name_of(uint32_t a, uint32_t b, const Named& owner) const;
  bool may_layout_differ(const Named& named) const;

  BtfView a_, b_;
  ComparePolicy policy_;
  bool is_one_view_;
  std::deque<Pair> pairs_;  ///< in the order of the walk
  size_t next_ = 0;         ///< the next pair to compare
  size_t current_ = 0;      ///< the pair that is being compared
  std::unordered_set<uint64_t> seen_, seen_behind_pointer_;
  size_t work_ = 0;
};

}  // namespace bpflink
