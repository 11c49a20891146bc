// Converts the BTF of a file for an older reader (`--target`).
#pragma once

#include <expected>

#include "bpflink/error.hpp"
#include "linker/programs/btfdedup/options.hpp"

namespace bpflink {

/// Writes the BTF of the one input as the target reads it. Errors: a file cannot be read or
/// written; the input has no BTF, or several blobs; the target has nothing to say a type with.
std::expected<void, Error> convert_input(const BtfdedupOptions& options);

}  // namespace bpflink
