// The commands of bpfcore.
#pragma once

#include <expected>

#include "linker/programs/bpfcore/options.hpp"

namespace bpflink {

/// What bpfcore exits with, unless all is well.
namespace exits {
constexpr int failed = 1, unchecked = 2;
constexpr int loader = 3;  ///< of load: nothing but libbpf refuses a program
}  // namespace exits

/// bpfcore check and load: prints failures and writes the reports. Returns the exit status: 0 if
/// only optional programs fail. Errors: a file cannot be read or written; nothing could be checked.
std::expected<int, Error> check(const BpfcoreOptions& options);

/// bpfcore minimize: writes the files, all or none. Errors: a file cannot be read or written.
std::expected<void, Error> minimize(const BpfcoreOptions& options);

}  // namespace bpflink
