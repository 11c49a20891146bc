// Matches types of the open input with candidate classes, without a key or a hash.
//
// A type belongs to a class if its words agree with the key of the class, and what it refers to
// belongs to the classes in the key. If it refers to a type without a class, that type is assumed
// to belong to the class in the key, and queued for comparison. If the queue runs empty without a
// difference, all assumptions hold together. At the first difference, all assumptions since the
// first type are retracted.
//
// A failed match decides nothing: the canonical key does.
#pragma once

#include <cstdint>
#include <vector>

#include "dedup/classes/open_input.hpp"

namespace bpflink {

class Matcher {
 public:
  explicit Matcher(OpenInput& input) : input_(input), table_(input.table) {}

  /// To be called when another input is open.
  void begin() { compare_budget_ = 4 * input_.types.words().size(); }

  /// Gives a type a class, and what it refers to classes with it, if it is of that one.
  bool match(uint32_t id, uint32_t type_class);

 private:
  bool confirm();
  bool is_like(const uint32_t* words, const uint32_t* key);
  template <int Words, int Name, int Type>
  bool accept_elements(const uint32_t* words, const uint32_t* key);
  bool accept(uint32_t id, Reference wanted);
  bool accept_unassigned(uint32_t id, Reference wanted);
  bool assume(uint32_t id, uint32_t type_class);

  OpenInput& input_;
  const ClassTable& table_;
  /// A type that was given a class without a comparison yet.
  struct Assumption {
    uint32_t id;
    uint32_t type_class;
  };
  std::vector<Assumption> assumed_;
  size_t compare_budget_ = 0;  ///< words that may yet be compared in vain
};

}  // namespace bpflink
