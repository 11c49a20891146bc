// A loop whose rounds run at the same time.
#pragma once

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace bpflink {

/// More would have too little each.
inline constexpr unsigned most_threads = 16;

/// How many workers to use for so many bytes of inputs where `wanted` threads were asked for, 0 of
/// them meaning that the size decides.
inline unsigned choose_workers(size_t bytes, unsigned wanted) {
  if (wanted != 0) return std::min(wanted, most_threads);
  constexpr size_t worthwhile = 1 << 20;  // below, to start threads costs more than it saves
  return bytes < worthwhile ? 1 : std::clamp(std::thread::hardware_concurrency(), 1u, most_threads);
}

/// Moves the thread that calls it away from `processor`, if there are others. A scheduler may
/// have a new thread wait on the processor of the one that started it, to let others sleep, for
/// longer than all the work takes. From then on it may run it where it likes.
inline void leave_processor(int processor) {
  cpu_set_t all;
  if (processor < 0 || ::sched_getaffinity(0, sizeof all, &all) != 0) return;
  cpu_set_t others = all;
  CPU_CLR(processor, &others);
  if (CPU_COUNT(&others) == 0 || ::sched_setaffinity(0, sizeof others, &others) != 0) return;
  ::sched_setaffinity(0, sizeof all, &all);
}

/// Calls work(0) to work(count - 1), each in a thread of its own but the first,
/// and returns when all are done. Threads of the standard library rather than a
/// pool: a loop that is worth it runs a few times in a process, and a program
/// that does not need one must not pay for a library at its start. Where the
/// system gives no more threads, the caller's does the work. Throws what one of the
/// calls has thrown; none may wait for what another one does after it could throw.
template <typename Work>
void run_threads(unsigned count, Work&& work) {
  if (count == 1) return work(0u);
  std::mutex mutex;
  std::exception_ptr thrown;
  auto guarded = [&](unsigned i) {
    try {
      work(i);
    } catch (...) {
      std::lock_guard lock(mutex);
      thrown = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    threads.reserve(count);
    unsigned started = 1;
    int here = ::sched_getcpu();
    try {
      for (; started < count; ++started)
        threads.emplace_back([&guarded, here, i = started] {
          leave_processor(here);
          guarded(i);
        });
    } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): done below instead
    }
    ::sched_yield();  // those that wait for this processor leave it at once
    if (count > 0) guarded(0u);
    for (; started < count; ++started) guarded(started);
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace bpflink
