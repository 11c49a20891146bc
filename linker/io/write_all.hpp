// Writes all bytes, in as many calls as it takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>

#include "bpflink/error.hpp"

namespace bpflink {

/// Writes to `fd` where it stands. Errors: "cannot write: " and why.
std::expected<void, Error> write_all(int fd, std::span<const std::byte> bytes);

/// Writes to the file `fd` from byte `offset` on. Errors: as above.
std::expected<void, Error> write_all_at(int fd, uint64_t offset, std::span<const std::byte> bytes);

}  // namespace bpflink
