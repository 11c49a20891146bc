// Cleans up when a signal stops a program.
#pragma once

#include <string>
#include <vector>

namespace bpflink {

/// From here on SIGINT, SIGTERM, SIGHUP and SIGPIPE remove what is in the making for these
/// outputs before they end the process; a signal that is ignored stays so. So does SIGBUS where
/// an input was cut off while it was mapped, which is an error like any other: a message that
/// begins with the program's name and names the input, and the exit status 1. Inputs stay mapped
/// until the process ends. Call it once, before an input is opened.
void clean_up_when_interrupted(const char* program, const std::vector<std::string>& outputs);

}  // namespace bpflink
