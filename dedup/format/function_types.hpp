#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/format/hash.hpp"

namespace bpflink {

/// Prototypes, static FUNCs and their tags that are added to types which are deduplicated already.
/// One that is there, or in their base, serves: no two types of an output are equal.
class FunctionTypes {
 public:
  explicit FunctionTypes(BtfBuilder& types) : types_(types) {}

  /// The id of the type with these words, which is added if there is none.
  uint32_t add(uint32_t name_off, uint32_t info, uint32_t type,
               std::span<const uint32_t> extra = {});

  /// Gives each of a prototype's parameters a name: an extern's need none, but the kernel wants
  /// them of a function that is there. Returns whether one had none.
  bool name_parameters(std::span<uint32_t> words);

 private:
  void index();
  std::span<const uint32_t> words_of(uint32_t id);

  BtfBuilder& types_;
  HashIndex ids_;        ///< of FUNCs, prototypes and tags, by their words
  uint32_t end_id_ = 1;  ///< the types before it are in `ids_`
  std::vector<uint32_t> words_, base_words_;
};

}  // namespace bpflink
