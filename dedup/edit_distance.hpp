// The edit distance of two names, for "did you mean" hints.
#pragma once

#include <cstddef>
#include <string_view>

namespace bpflink {

/// How many characters to insert, remove, replace, or swap with the next one, to turn `a` into `b`.
/// Takes time in proportion to the product of the lengths.
size_t edit_distance(std::string_view a, std::string_view b);

/// The distance below which a name counts as a misspelling of `name`. A third of the characters may
/// differ, but never all of a short name.
size_t misspelling_limit(std::string_view name);

/// Finds the candidate that `name` may be a misspelling of. Names of more than 64 characters are
/// not compared.
class NearestName {
 public:
  explicit NearestName(std::string_view name);

  /// Whether `candidate` is near enough, and nearer than all earlier ones. It must outlive this.
  bool consider(std::string_view candidate);
  /// The nearest, "" for none.
  std::string_view nearest() const { return nearest_; }

 private:
  std::string_view name_, nearest_;
  size_t distance_;  ///< candidates must be nearer than this
};

}  // namespace bpflink
