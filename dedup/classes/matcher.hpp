// Matches types of the open input with classes that they may be of, which takes neither a key nor a
// hash.
//
// A type is of a class if its words say what the class's key says, and what it refers to is what
// the key refers to. Where that is a type without class it is assumed to be of the class wanted,
// and stands in line to be compared. If the line ends without a difference all assumptions have
// held each other up, and the types are of these classes: a graph that looks the same wherever one
// goes is the same. At the first difference all that was assumed since the first type is taken
// back.
//
// Nothing here decides that a type is of no class: where it is not plain that it is of this one,
// the canonical keys decide.
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
