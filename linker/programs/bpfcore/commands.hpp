// The commands of bpfcore.
#pragma once

#include <expected>

#include "linker/programs/bpfcore/options.hpp"

namespace bpflink {

/// bpfcore check and load: prints failures and writes the reports. Returns whether only optional
/// programs fail. Errors: a file cannot be read or written; a kernel did not load all programs,
/// which the reports say.
std::expected<bool, Error> check(const BpfcoreOptions& options);

/// bpfcore minimize: writes the files, all or none. Errors: a file cannot be read or written.
std::expected<void, Error> minimize(const BpfcoreOptions& options);

}  // namespace bpflink
