// What bpflink-lto may use up: a file of a few kilobytes can keep LLVM busy for hours. A limit that
// the process is under already, and that is lower, stays.
#pragma once

#include <sys/resource.h>

#include "linker/lto/protocol.hpp"

namespace bpflink::lto {

inline rlim_t memory_limit(const Request& request) {
  return static_cast<rlim_t>(request.mebibytes) << 20;
}

/// Whether `value` is below the limit that the process has.
inline bool is_lower(int resource, rlim_t value) {
  rlimit now;
  return ::getrlimit(resource, &now) == 0 && value < now.rlim_cur;
}

/// Whether it is the request that limits the processor time.
inline bool limits_time(const Request& request) {
  return request.seconds != 0 && is_lower(RLIMIT_CPU, request.seconds);
}
/// Whether it is the request that limits the memory.
inline bool limits_memory(const Request& request) {
  return request.mebibytes != 0 && is_lower(RLIMIT_AS, memory_limit(request));
}

}  // namespace bpflink::lto
