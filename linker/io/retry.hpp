// Retries system calls that a signal interrupts.
#pragma once

#include <cerrno>

namespace bpflink {

/// Makes a system call again for as long as signals interrupt it.
template <typename Call>
auto retry(Call call) {
  for (;;)
    if (auto result = call(); result >= 0 || errno != EINTR) return result;
}

}  // namespace bpflink
