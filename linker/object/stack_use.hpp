// The stack that a function uses, as far as its code shows.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace bpflink {

/// Bytes below the frame pointer, r10: the furthest that an instruction reads, writes, or makes a
/// pointer to.
uint64_t stack_use(std::span<const std::byte> code, std::endian order);

}  // namespace bpflink
