// The edit distance of two spellings.
#pragma once

#include <cstddef>
#include <string_view>

namespace bpflink {

/// The number of characters to insert, remove, replace or swap to make `b` of
/// `a`. The effort grows with the product of their lengths.
size_t edit_distance(std::string_view a, std::string_view b);

/// The distance below which one is taken for a misspelling of `name`: a third of
/// the characters may differ, but never all of a short name.
size_t misspelling_limit(std::string_view name);

/// Finds the name that another may be a misspelling of. Names of more than 64 characters are not
/// compared.
class NearestName {
 public:
  explicit NearestName(std::string_view name);

  /// Whether `candidate` is nearer than all before, and near enough. It must outlive this.
  bool consider(std::string_view candidate);
  /// The nearest, "" for none.
  std::string_view nearest() const { return nearest_; }

 private:
  std::string_view name_, nearest_;
  size_t distance_;  // what is nearer counts
};

}  // namespace bpflink
