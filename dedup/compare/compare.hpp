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

enum class ComparePolicy : uint8_t {
  /// All that deduplication tells apart. That decides by keys (classes/classifier.cpp) and never
  /// comes here; --explain finds the reason again.
  Identical,
  /// What C lets two files declare of one thing, with the type tags of pointers, which verifiers go
  /// by, but for those in prototypes of functions, at which they do not look. Typedefs and
  /// qualifiers do not count, nor does the spelling of integers of one size and sign; an array
  /// without a length agrees with any, a declaration with a definition; behind a pointer, structs
  /// agree by name.
  CCompatible,
  /// The same, but that arrays have one length: of a map's keys and values.
  CCompatibleOfOneLength,
  /// What libbpf's linker lets pass: kinds, names and sizes agree, and the members of structs, but
  /// not signs, enumerators, the lengths of arrays, nor what is in a struct behind a pointer.
  LibbpfCompatible,
  /// Where structs and unions have their members, the type tags of these, and which values
  /// enumerators have, wherever both types lead to: compare_layouts.cpp walks, record_layout.hpp
  /// has the rules.
  Layout,
};

/// What one of two types says where they differ.
struct DifferenceSide {
  uint32_t type = 0;        ///< the type there; 0 for void and for what only the other side has
  std::string note = {};    ///< "at byte 8", "no such member", "B = 2"; may be empty
  uint32_t definition = 0;  ///< the struct, union or enum that this stands in, if any
  int32_t member = -1;      ///< its member or enumerator; -1: none
};

struct TypeDifference {
  std::string path;    ///< how C reaches what differs: "v.next->at", "*v", "f (parameter 1)"
  std::string member;  ///< in that: ".y", or empty for the whole
  DifferenceSide a, b;
  bool is_of_tags = false;  ///< only the type tags differ (`__kptr`, `__arena`), at pointers

  /// Both: "v.next->at.y", "v->y".
  std::string place() const;
};

/// Walks two types at once, breadth first, so that what it finds first has the shortest path. A
/// pair of types that was compared, or is being compared, is not looked at again.
class TypeComparison {
 public:
  /// Members and pairs to look at, more than any source has; then the rest counts as alike.
  static constexpr size_t most_work = 1 << 20;

  /// `a` and `b` may be the same types, of which equal ids are then equal.
  TypeComparison(const BtfView& a, const BtfView& b, ComparePolicy policy)
      : a_(a), b_(b), policy_(policy), is_one_view_(a.words().data() == b.words().data()) {}

  /// The first difference of two types, which are reached by `path`.
  std::optional<TypeDifference> run(uint32_t a, uint32_t b, std::string_view path) {
    begin(a, b, path);
    return next();
  }

  /// Adds two types to compare. next() finds one difference after the other, then nothing. After
  /// the first it goes on only with the layout policy.
  void begin(uint32_t a, uint32_t b, std::string_view path);
  std::optional<TypeDifference> next();

  /// How many pairs and members were looked at, by this and those before that it goes on from.
  size_t work() const { return work_; }
  void go_on_from(size_t work) { work_ = work; }

  // For the layout policy.
  /// Whether two types need not be looked at.
  std::function<bool(uint32_t a, uint32_t b)> is_settled = [](uint32_t, uint32_t) { return false; };
  /// Whether definitions of that name may differ; they are not looked into.
  std::function<bool(std::string_view name)> may_differ = [](std::string_view) { return false; };

 private:
  static constexpr size_t no_parent = SIZE_MAX;

  /// The nearest definitions that have a name, a tag's or a typedef's.
  struct Named {
    std::string_view name;
    uint32_t a, b;
  };
  /// Two types to compare, and how they were reached.
  struct Pair {
    uint32_t a, b;
    size_t parent;      ///< the pair that led here
    std::string label;  ///< from there to here
    bool behind_pointer;
    Named owner;  ///< that they are a part of; for the layout policy
  };
  using Found = std::optional<TypeDifference>;

  bool is(ComparePolicy policy) const { return policy_ == policy; }
  void visit(uint32_t a, uint32_t b, std::string label, bool behind_pointer, Named owner = {});
  Found compare(const Pair& pair);
  Found compare_tags(const Pair& pair, BtfType a, BtfType b);
  Found compare_records(const Pair& pair, BtfType a, BtfType b);
  Found compare_enums(const Pair& pair, BtfType a, BtfType b);
  Found compare_prototypes(const Pair& pair, BtfType a, BtfType b);
  bool is_in_prototype() const;
  Found compare_words(const Pair& pair, BtfType a, BtfType b);
  Found differ(const Pair& pair, std::string note_a = {}, std::string note_b = {},
               int32_t member = -1) const;
  Found differ_at_member(const Pair& pair, uint32_t i, std::string note_a,
                         std::string note_b) const;
  std::string path_to(size_t at) const;

  Found compare_layouts(const Pair& pair, BtfType a, BtfType b);
  Found visit_records(const Pair& pair);
  Found compare_type_tags(const Pair& pair, uint32_t a, uint32_t b, std::string member) const;
  Named name_of(uint32_t a, uint32_t b, const Named& owner) const;
  bool is_ignored(const Named& named) const;

  BtfView a_, b_;
  ComparePolicy policy_;
  bool is_one_view_;
  std::deque<Pair> pairs_;  ///< all that were reached
  size_t next_ = 0;         ///< the first of them that was not compared
  size_t here_ = 0;         ///< the one that is being compared
  std::unordered_set<uint64_t> seen_, seen_behind_pointer_;
  size_t work_ = 0;
};

}  // namespace bpflink
