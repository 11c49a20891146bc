// Writing what may be large and mostly zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>

#include "bpflink/error.hpp"

namespace bpflink {

/// Writes to the file `fd` from byte `offset` on, where nothing was written yet.
/// Blocks of zeros become holes. Errors: those of write_all_at().
std::expected<void, Error> write_sparse(int fd, uint64_t offset, std::span<const std::byte> bytes);

}  // namespace bpflink
