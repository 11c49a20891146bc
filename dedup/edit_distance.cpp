#include "dedup/edit_distance.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace bpflink {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, row(b.size() + 1), last(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = last[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    std::swap(last, row);
  }
  return last[b.size()];
}

size_t misspelling_limit(std::string_view name) {
  return std::min(std::max<size_t>(1, name.size() / 3) + 1, name.size());
}

NearestName::NearestName(std::string_view name) : name_(name), distance_(misspelling_limit(name)) {}

bool NearestName::consider(std::string_view candidate) {
  constexpr size_t longest_compared = 64;
  // The lengths alone rule out most names of a kernel.
  size_t longer = std::max(candidate.size(), name_.size());
  size_t shorter = std::min(candidate.size(), name_.size());
  if (longer > longest_compared || shorter == 0 || longer - shorter >= distance_) return false;
  size_t distance = edit_distance(name_, candidate);
  if (distance >= distance_) return false;
  distance_ = distance;
  nearest_ = candidate;
  return true;
}

}  // namespace bpflink
