// Canonicalization of one large input by several threads.
#pragma once

#include <cstdint>
#include <span>

#include "bpflink/btf.hpp"
#include "dedup/canonicalize.hpp"

namespace bpflink {

/// As Canonicalizer::run() for an input without base of which nothing is left
/// out, with several threads. Gives the same classes up to their numbers.
void canonicalize_in_parallel(const Btf& btf, std::span<uint32_t> classes, TypeTable& table,
                              Canonicalizer& canonicalizer, unsigned threads,
                              const Canonicalizer::Consumed& consumed, Checks checks);

}  // namespace bpflink
