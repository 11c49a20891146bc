// Adds functions and prototypes to deduplicated types.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/format/hash.hpp"

namespace bpflink {

/// Adds prototypes, static FUNCs and their tags to types that are deduplicated already. If an equal
/// one is there, it is used: no two types of an output are equal. Of the base, only prototypes are
/// used: a module's function is another one than the kernel's of that name and prototype.
class FunctionTypes {
 public:
  explicit FunctionTypes(BtfBuilder& types) : types_(types) {}

  /// The id of the type with these words. Adds it if there is none.
  uint32_t add(uint32_t name_off, uint32_t info, uint32_t type,
               std::span<const uint32_t> extra = {});

  /// Names each nameless parameter of a prototype "argN". Externs need no names, but the kernel
  /// requires them for a function that is defined. Returns whether one had no name.
  bool name_parameters(std::span<uint32_t> words);

 private:
  void index();
  uint32_t hash_of(std::span<const uint32_t> words);
  std::span<const uint32_t> words_of(uint32_t id);

  BtfBuilder& types_;
  HashIndex ids_;        ///< of FUNCs, prototypes and tags, by their words
  uint32_t end_id_ = 1;  ///< the types before it are in `ids_`
  std::vector<uint32_t> words_, base_words_, hashed_words_;
};

}  // namespace bpflink
