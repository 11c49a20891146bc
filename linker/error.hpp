// Errors of system calls.
#pragma once

#include <cerrno>
#include <cstring>
#include <expected>
#include <string_view>

#include "dedup/messages.hpp"

namespace bpflink {

/// The reason from errno why a system call failed, prefixed with `what` if given.
inline std::unexpected<Error> system_error(std::string_view what = {}) {
  const char* reason = std::strerror(errno);
  return what.empty() ? fail(reason) : fail("{}: {}", what, reason);
}

}  // namespace bpflink
