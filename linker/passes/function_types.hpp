#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/internal.hpp"

namespace bpflink {

/// Prototypes and static FUNCs that a pass adds to the output's types. One that is
/// there already serves: no two types of an output are equal.
class FunctionTypes {
 public:
  explicit FunctionTypes(BtfBuilder& types) : types_(types) {}

  /// The id of the type with these words, which is added if there is none.
  uint32_t add(uint32_t name_off, uint32_t info, uint32_t type,
               std::span<const uint32_t> extra = {});

 private:
  void index();

  BtfBuilder& types_;
  HashIndex ids_;        ///< of FUNCs and prototypes, by their words
  uint32_t end_id_ = 0;  ///< the types before it are in `ids_`; 0: none yet
  std::vector<uint32_t> words_;
};

}  // namespace bpflink
