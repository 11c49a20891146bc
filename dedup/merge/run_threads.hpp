// Runs the iterations of a loop in parallel threads.
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

/// With more threads, each would have too little work.
inline constexpr unsigned max_threads = 16;

/// The number of workers for `bytes` of input. `wanted` is the number of threads that the user
/// asked for; 0 lets the size decide.
inline unsigned choose_workers(size_t bytes, unsigned wanted) {
  if (wanted != 0) return std::min(wanted, max_threads);
  constexpr size_t worth_threads = 1 << 20;  // below, starting threads costs more than it saves
  return bytes < worth_threads ? 1
                               : std::clamp(std::thread::hardware_concurrency(), 1u, max_threads);
}

/// Moves the calling thread away from `processor`, if there are others. To save power, a scheduler
/// may queue a new thread on the processor of its creator, and leave it there for longer than all
/// the work takes. Afterwards the thread may run on any processor again.
inline void leave_processor(int processor) {
  cpu_set_t all;
  if (processor < 0 || ::sched_getaffinity(0, sizeof all, &all) != 0) return;
  cpu_set_t others = all;
  CPU_CLR(processor, &others);
  if (CPU_COUNT(&others) == 0 || ::sched_setaffinity(0, sizeof others, &others) != 0) return;
  ::sched_setaffinity(0, sizeof all, &all);
}

/// Calls work(0) to work(count - 1) and returns when all are done. work(0) runs in the calling
/// thread, each other call in a thread of its own. If the system gives no more threads, the calling
/// thread does the rest. Rethrows one exception of the calls, so no call may wait for another that
/// may throw first.
///
/// There is no thread pool: a process runs only a few such loops, and a pool's library would cost
/// every start of a program.
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
    } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): run below instead
    }
    ::sched_yield();  // lets threads queued on this processor move away at once
    if (count > 0) guarded(0u);
    for (; started < count; ++started) guarded(started);
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace bpflink
