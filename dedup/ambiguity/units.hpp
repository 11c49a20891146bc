// Units: the types that one run of the compiler saw.
#pragma once

#include <cstdint>
#include <vector>

#include "dedup/deduplication.hpp"

namespace bpflink {

/// The units of all inputs, numbered from 1 on. Unit 0 is the base.
class Units {
 public:
  /// `is_tainted` and `reaches_tag` are by class.
  Units(const Deduplication& d, const std::vector<bool>& is_tainted,
        const std::vector<bool>& reaches_tag);

  /// The unit of an input's type. `index` is that of Input::class_of_type.
  uint32_t of(size_t input, uint32_t index) const {
    const InputUnits& units = inputs_[input];
    return units.first + (units.components.empty() ? 0 : units.components[index]);
  }
  uint32_t count() const { return count_; }

 private:
  struct InputUnits {
    uint32_t first = 0;                ///< the input's first unit
    std::vector<uint32_t> components;  ///< by index: its unit, from 0 on; empty if not merged
  };

  std::vector<InputUnits> inputs_;
  uint32_t count_ = 1;
};

}  // namespace bpflink
