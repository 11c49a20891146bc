// Checks whether kernels accept the BTF of files (`--check`).
#pragma once

#include <expected>

#include "bpflink/error.hpp"
#include "linker/programs/btfdedup/options.hpp"

namespace bpflink {

/// Prints whether kernels accept the BTF of the inputs, and returns whether they accept all of it.
/// Errors: a file cannot be read, or has no BTF.
std::expected<bool, Error> check_inputs(const BtfdedupOptions& options);

}  // namespace bpflink
