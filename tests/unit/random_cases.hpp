// Random inputs as the library and the oracle read them, and the loop over seeds
//
//   BPFLINK_SEEDS=100000   the number of seeds
//   BPFLINK_FIRST_SEED=1   the first one
//   BPFLINK_SEED=4711      only this one, and prints its inputs
//   BPFLINK_TRACE=1        prints each seed to stderr before it runs, to find one that crashes
#pragma once

#include <doctest/doctest.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "bpflink/dedup.hpp"
#include "meaning.hpp"
#include "random_types.hpp"

namespace bpflink::test {

/// Random inputs, parsed by the library and the oracle.
struct Inputs {
  std::vector<std::vector<std::byte>> blobs{};  ///< the bases, then the inputs
  std::vector<Btf> bases{};
  std::vector<Btf> btfs{};
  Names names{};
  PlainBtf plain_base{};
  std::vector<PlainInput> plain{};
  bool is_valid = true;
  bool has_omitted = false;

  explicit Inputs(const RandomInputs& random) {
    for (const RandomUnit& unit : random.bases) {
      add_blob(unit, bases);
      if (!is_valid) return;
      plain_base = decode(blobs.back(), &plain_base, names);
    }
    for (const RandomUnit& unit : random.inputs) {
      add_blob(unit, btfs);
      if (!is_valid) return;
      plain.push_back({decode(blobs.back(), &plain_base, names), {}});
      plain.back().omit.assign(random.first_id(), false);
      for (const RandomType& t : unit) {
        plain.back().omit.push_back(t.is_omitted);
        has_omitted |= t.is_omitted;
      }
    }
  }

  const Btf* base() const { return bases.empty() ? nullptr : &bases.back(); }
  std::span<const std::byte> blob(size_t input) const { return blobs[bases.size() + input]; }

 private:
  void add_blob(const RandomUnit& unit, std::vector<Btf>& to) {
    bases.reserve(8);  // split BTF keeps the address of its base
    blobs.push_back(encode(unit, static_cast<uint32_t>(plain_base.strings.size())));
    auto btf = Btf::parse(blobs.back(), base());
    is_valid = btf.has_value();
    if (is_valid) to.push_back(std::move(*btf));
  }
};

inline uint64_t from_environment(const char* name, uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value ? std::strtoull(value, nullptr, 10) : otherwise;
}

/// The fault that random inputs show, or "". Nothing if the inputs are not valid.
using Check = std::optional<std::string> (*)(const RandomInputs&, uint64_t seed);

/// Checks the inputs of each seed. Of a thousand seeds, `tolerated` may fail, and of a hundred,
/// `valid` must have valid inputs.
inline void run_seeds(uint64_t usual, Check check_inputs, uint64_t tolerated = 0,
                      uint64_t valid = 89) {
  uint64_t only = from_environment("BPFLINK_SEED", 0);
  uint64_t first = only ? only : from_environment("BPFLINK_FIRST_SEED", 1);
  uint64_t count = only ? 1 : from_environment("BPFLINK_SEEDS", usual);
  bool is_traced = from_environment("BPFLINK_TRACE", 0) != 0;
  uint64_t skipped = 0, failed = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    if (is_traced) std::fprintf(stderr, "seed %" PRIu64 "\n", seed);
    RandomInputs inputs = random_inputs(seed);
    if (only) MESSAGE(to_text(inputs));
    auto fault = check_inputs(inputs, seed);
    skipped += !fault;
    if (!fault || fault->empty()) continue;
    if (++failed * 1000 <= tolerated * count) continue;
    auto fails = [&](const RandomInputs& fewer) {
      auto remains = check_inputs(fewer, seed);
      return remains && !remains->empty();
    };
    inputs = shrink(inputs, fails);
    FAIL("seed ", seed, ": ", *check_inputs(inputs, seed), "\n", to_text(inputs));
  }
  MESSAGE(count, " seeds, of which ", skipped, " made no valid inputs, and ", failed, " failed");
  CHECK(skipped * 100 <= count * (100 - valid) + 100);
}

}  // namespace bpflink::test
