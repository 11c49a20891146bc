// Whether two types of one BTF can stand for the same C object, and where they
// differ if not.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bpflink/btf.hpp"

namespace bpflink {

/// The first place where two types differ.
struct TypeDifference {
  /// From the declared thing to the place, as C would say it: ".next->size",
  /// "[0]"; "" for the thing itself.
  std::string path;
  /// The types there, 0 for void or for what only the other side has.
  uint32_t a = 0, b = 0;
  /// What is said of either side besides the type: "at offset 8", "16 bytes".
  std::string note_a, note_b;
};

/// How alike two declarations of one thing have to be.
enum class Agreement : uint8_t {
  /// As C has it across files.
  Types,
  /// Or as libbpf's linker has it: kinds, names and sizes agree, and the members of
  /// structs, but not signs, enumerators, the lengths of arrays, nor what is in a
  /// struct behind a pointer. A map's attribute of 0 is as good as none.
  Shapes,
};

class TypeComparer {
 public:
  TypeComparer(const BtfBuilder& btf, Agreement agreement) : btf_(btf), agreement_(agreement) {}

  /// Nothing if an extern of type `a` may be bound to a definition of type `b`.
  /// Typedefs, qualifiers and type tags do not matter, nor does the spelling of
  /// integers of the same size and sign; an array without a length agrees with
  /// any. Behind a pointer, structs agree by name, as C does across files.
  std::optional<TypeDifference> compare(uint32_t a, uint32_t b);

  /// Nothing if two BTF definitions of one map (structs whose members are its
  /// attributes) agree. With `declared_is_extern`, `declared` may leave
  /// attributes out. Attributes that are not known today are compared like any
  /// other.
  std::optional<TypeDifference> compare_maps(uint32_t declared, uint32_t defined,
                                             bool declared_is_extern);

 private:
  /// Two types to compare, and how they were reached.
  struct Pair {
    uint32_t a, b;
    bool behind_pointer;
    uint32_t parent;    ///< index into steps_
    std::string label;  ///< from there to here
  };
  struct Step {
    uint32_t parent;
    std::string label;
  };
  using Key = std::pair<std::pair<uint32_t, uint32_t>, bool>;

  uint32_t strip(uint32_t id) const;
  std::optional<TypeDifference> walk(const Pair& start, bool exact_lengths);
  bool compare_one(const Pair& pair, bool exact_lengths);
  bool compare_structs(const Pair& pair, BtfType a, BtfType b);
  bool compare_enums(const Pair& pair, BtfType a, BtfType b);
  void follow(uint32_t a, uint32_t b, bool behind_pointer, std::string label);
  bool differ(const Pair& pair, std::string note_a = {}, std::string note_b = {});
  bool differ_at(std::string_view label, uint32_t a, uint32_t b, std::string note_a,
                 std::string note_b);
  using Attributes = std::map<std::string_view, uint32_t>;  // name and type

  Attributes attributes_of(BtfType map) const;
  std::optional<uint64_t> number_of(uint32_t attribute) const;
  uint64_t size_of(uint32_t id) const;
  uint64_t size_of_pointee(uint32_t id) const;
  uint32_t element_of_values(uint32_t id) const;
  bool may_be_absent(std::string_view name, uint32_t type, const Attributes& other) const;
  bool hold_same_shape(uint32_t values_a, uint32_t values_b);
  std::optional<TypeDifference> compare_attributes(std::string_view name, uint32_t a, uint32_t b);
  std::string path_to(uint32_t step) const;

  const BtfBuilder& btf_;
  Agreement agreement_;
  bool is_in_inner_map_ = false;
  std::vector<Pair> pending_;
  std::vector<Step> steps_;
  uint32_t here_ = 0;  ///< the step that is being compared
  std::set<Key> seen_;
  TypeDifference difference_;
};

}  // namespace bpflink
