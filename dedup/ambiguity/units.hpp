// Units: what one compiler run saw.
#pragma once

#include <cstdint>
#include <vector>

#include "dedup/deduplication.hpp"

namespace bpflink {

/// The units of all inputs, in numbers from 0 on. Unit 0 is the base, if there is one.
class Units {
 public:
  /// `is_tainted` and `reaches_tag` are by class.
  Units(const Deduplication& d, const std::vector<bool>& is_tainted,
        const std::vector<bool>& reaches_tag);

  /// The unit of a type of an input, by its index.
  uint32_t of(size_t input, uint32_t index) const {
    const Cut& cut = cuts_[input];
    return cut.first + (cut.components.empty() ? 0 : cut.components[index]);
  }
  bool is_cut(size_t input) const { return !cuts_[input].components.empty(); }
  uint32_t count() const { return count_; }

 private:
  struct Cut {
    uint32_t first = 0;                ///< the input's first unit
    std::vector<uint32_t> components;  ///< by index, of an input that was put together
  };

  std::vector<Cut> cuts_;
  uint32_t count_ = 1;
};

}  // namespace bpflink
