// Whether two types of one BTF can stand for the same C object.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "bpflink/btf.hpp"

namespace bpflink {

class TypeComparer {
 public:
  explicit TypeComparer(const BtfBuilder& btf) : btf_(btf) {}

  /// Whether an extern of type `a` may be bound to a definition of type `b`.
  /// Typedefs, qualifiers and type tags do not matter, nor does the spelling of
  /// integers of the same size and sign; an array without a length agrees with
  /// any. Behind a pointer, structs agree by name, as C does across files.
  bool compatible(uint32_t a, uint32_t b);

  /// Whether two BTF definitions of one map (structs whose members are its
  /// attributes) agree. With `declared_is_extern`, `declared` may leave
  /// attributes out. Attributes that are not known today are compared like any
  /// other.
  bool same_map(uint32_t declared, uint32_t defined, bool declared_is_extern);

 private:
  struct Pair {
    uint32_t a, b;
    bool behind_pointer;
    auto operator<=>(const Pair&) const = default;
  };

  uint32_t strip(uint32_t id) const;
  bool walk(Pair start, bool exact_lengths);
  bool compare_one(Pair pair, bool exact_lengths);
  bool compare_structs(BtfType a, BtfType b, bool behind_pointer);
  bool compare_enums(BtfType a, BtfType b) const;
  void follow(uint32_t a, uint32_t b, bool behind_pointer);
  bool same_attribute(std::string_view name, uint32_t a, uint32_t b);

  const BtfBuilder& btf_;
  std::vector<Pair> pending_;
  std::set<Pair> seen_;
};

}  // namespace bpflink
