// Reads pipes and response files, which are not mapped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <vector>

#include "bpflink/error.hpp"

namespace bpflink {

/// Reads `fd` to its end, or `limit` bytes, and waits for data. Errors: a read fails; the message
/// gives the reason.
std::expected<std::vector<std::byte>, Error> read_to_end(int fd, size_t limit = SIZE_MAX);

}  // namespace bpflink
