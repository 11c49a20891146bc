// What the program does when it is told to stop.
#pragma once

#include <string>
#include <vector>

namespace bpflink {

/// From here on SIGINT, SIGTERM and SIGHUP remove what is in the making for these
/// outputs before they end the process; a signal that is ignored stays so.
/// Writing to a pipe that nobody reads any more becomes an error instead of the
/// end. Call once.
void clean_up_when_interrupted(const std::vector<std::string>& outputs);

}  // namespace bpflink
