// Errors of the linker's own making.
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <expected>
#include <string_view>
#include <utility>

#include "bpflink/error.hpp"

namespace bpflink {

/// An error with this text, as a function returns it.
template <typename... Args>
std::unexpected<Error> fail(fmt::format_string<Args...> format, Args&&... args) {
  return std::unexpected(Error{fmt::format(format, std::forward<Args>(args)...)});
}

/// Why a system call failed, from errno; after `what` where that is given.
inline std::unexpected<Error> system_error(std::string_view what = {}) {
  const char* reason = std::strerror(errno);
  return what.empty() ? fail("{}", reason) : fail("{}: {}", what, reason);
}

}  // namespace bpflink
