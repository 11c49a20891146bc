// Canonicalization of one large input by several threads.
#pragma once

#include <cstdint>
#include <span>

#include "bpflink/btf.hpp"
#include "bpflink/dedup.hpp"
#include "dedup/canonicalize.hpp"

namespace bpflink {

/// How many threads to use for an input where `wanted` were asked for, 0 of
/// them meaning that the input's size decides.
unsigned choose_threads(const Btf& btf, unsigned wanted);

/// As Canonicalizer::run() for an input without base of which nothing is left
/// out. Gives the same classes up to their numbers.
void canonicalize_in_parallel(const Btf& btf, std::span<uint32_t> classes, TypeTable& table,
                              Canonicalizer& canonicalizer, const DedupOptions& options);

}  // namespace bpflink
