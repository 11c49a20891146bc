// Cleans up when a signal stops a program.
#pragma once

#include <string>
#include <vector>

namespace bpflink {

/// From now on SIGINT, SIGTERM, SIGHUP and SIGPIPE remove the temporary files of these outputs
/// before they end the process; ignored signals stay ignored. If a mapped input is truncated,
/// SIGBUS also removes them, prints an error that names the program and the input, and exits with
/// status 1. Inputs stay mapped until the process ends. Call this once, before opening an input.
void clean_up_when_interrupted(const char* program, const std::vector<std::string>& outputs);

}  // namespace bpflink
