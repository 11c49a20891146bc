// What the program btfdedup does.
#pragma once

#include <expected>

#include "bpflink/error.hpp"
#include "linker/programs/btfdedup/options.hpp"

namespace bpflink {

/// Reads BTF from files of several kinds, merges equal types, and writes or shows the result.
/// Errors: a file cannot be read or written; types cannot be merged.
std::expected<void, Error> merge_files(const BtfdedupOptions& options);

/// Does so with several modules, each alone, against bases that are read once. Returns whether all
/// have their outputs: one that fails keeps no other from its own. Errors: none can begin.
std::expected<bool, Error> merge_modules(const BtfdedupOptions& options);

/// Writes the BTF of the one input as an older reader takes it (--target). Errors: a file cannot be
/// read or written; the input has no BTF, or several blobs; the target has nothing to say a type
/// with.
std::expected<void, Error> convert_input(const BtfdedupOptions& options);

/// Prints whether kernels accept the BTF of the inputs (--check), and returns whether they accept
/// all of it. Errors: a file cannot be read, or has no BTF.
std::expected<bool, Error> check_inputs(const BtfdedupOptions& options);

}  // namespace bpflink
