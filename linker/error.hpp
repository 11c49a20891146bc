// Errors of system calls, and of files.
#pragma once

#include <cerrno>
#include <cstring>
#include <expected>
#include <string_view>
#include <utility>

#include "dedup/messages.hpp"

namespace bpflink {

/// The reason from errno why a system call failed, prefixed with `what` if given.
inline std::unexpected<Error> system_error(std::string_view what = {}) {
  const char* reason = std::strerror(errno);
  return what.empty() ? fail(reason) : fail("{}: {}", what, reason);
}

/// The same error, of the file or part with that name.
inline std::unexpected<Error> fail_in(std::string_view name, Error error) {
  error.message.insert(0, fmt::format("{}: ", name));
  return std::unexpected(std::move(error));
}

}  // namespace bpflink
