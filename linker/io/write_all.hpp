// Writes all bytes, in as many calls as it takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>

#include "bpflink/error.hpp"

namespace bpflink {

/// Writes to `fd` at its position. Errors: "cannot write: " and the reason.
std::expected<void, Error> write_all(int fd, std::span<const std::byte> bytes);

/// Writes to the file `fd` at byte `offset`. Errors: as above.
std::expected<void, Error> write_all_at(int fd, uint64_t offset, std::span<const std::byte> bytes);

}  // namespace bpflink
