// Deduplication of BTF from many inputs into one blob.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "bpflink/btf.hpp"

namespace bpflink {

struct DedupOptions {
  /// Threads to use; 0 lets the library decide from the size of the inputs.
  /// The output does not depend on it.
  unsigned threads = 0;
  /// The base that all inputs were split from, or null. Not changed; must
  /// outlive the Deduplicator.
  const Btf* base = nullptr;
};

/// What a deduplication made.
struct DedupResult {
  /// The types that are left, in order of first occurrence; more may be added
  /// before `finish()`, strings of a `.BTF.ext` with `add_string()`.
  BtfBuilder types;
  /// For each input, in order of addition: output id by input id. Index 0 is
  /// void and maps to 0, as do omitted types. Ids of the base map to themselves.
  std::vector<std::vector<uint32_t>> type_maps;
};

/// Merges equal types of any number of inputs. Use: `add` each input, `run`.
class Deduplicator {
 public:
  explicit Deduplicator(DedupOptions options = {});
  Deduplicator(Deduplicator&&) noexcept;
  Deduplicator& operator=(Deduplicator&&) noexcept;
  ~Deduplicator();

  /// Adds an input, called `name` in messages. `btf` must outlive `run()`.
  /// Where `omit` is not empty it has an element for each id of the input
  /// (index 0 unused); types for which it is true are left out. No type that
  /// stays may refer to one that is left out.
  void add(std::string name, const Btf& btf, std::vector<bool> omit = {});

  /// Deduplicates. Call once. Errors: more distinct types than 32-bit ids.
  std::expected<DedupResult, Error> run();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bpflink
