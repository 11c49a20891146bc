// Reads pipes and response files, which are not mapped.
#pragma once

#include <cstddef>
#include <expected>
#include <vector>

#include "bpflink/error.hpp"

namespace bpflink {

/// All that can be read from `fd`, waiting for it. Errors: a read fails; the message says why.
std::expected<std::vector<std::byte>, Error> read_to_end(int fd);

}  // namespace bpflink
