// Whether kernels take the BTF of files (`--check`), and of what was written (`--verify`).
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "bpflink/check.hpp"
#include "bpflink/error.hpp"
#include "linker/btfdedup/bases.hpp"
#include "linker/btfdedup/options.hpp"

namespace bpflink {

/// Prints what kernels say of the BTF of the inputs. Returns whether they take all of it. Errors: a
/// file cannot be read, or has no BTF.
std::expected<bool, Error> check_inputs(const BtfdedupOptions& options);

}  // namespace bpflink
