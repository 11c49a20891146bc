// Cleans up when a signal stops a program.
#pragma once

#include <string_view>

namespace bpflink {

/// From now on SIGINT, SIGTERM, SIGHUP and SIGPIPE remove the temporary files before they end the
/// process; ignored signals stay ignored. If a mapped input is truncated, SIGBUS also removes them,
/// prints an error that names the program and the input, and exits with status `failure`. `program`
/// is a constant. Call this once, before opening a file.
void clean_up_when_interrupted(std::string_view program, int failure);

}  // namespace bpflink
