// Canonicalization by several threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/classes/canonicalize.hpp"

namespace bpflink {

/// As Canonicalizer::run() for an input without base of which nothing is left
/// out, with several threads. Gives the same classes up to their numbers, in `classes`,
/// which is given its size here.
void canonicalize_in_parallel(const Btf& btf, std::vector<uint32_t>& classes, TypeTable& table,
                              Canonicalizer& canonicalizer, unsigned threads,
                              const Canonicalizer::Consumed& consumed, Checks checks);

/// One of many inputs.
struct InputOfMany {
  const Btf* btf;
  std::span<uint32_t> classes;     ///< as for Canonicalizer::run()
  std::optional<Error> failure{};  ///< of that
};

/// As Canonicalizer::run() for inputs without base, one after the other, with several
/// threads. Gives the same classes up to their numbers. What was seen of each input is
/// to be had from Canonicalizer::see_all().
void canonicalize_in_parallel(std::span<InputOfMany> inputs, TypeTable& table,
                              Canonicalizer& canonicalizer, unsigned threads,
                              const Canonicalizer::Consumed& consumed);

}  // namespace bpflink
