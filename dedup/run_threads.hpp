// A loop whose rounds run at the same time.
#pragma once

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
    try {
      for (; started < count; ++started)
        threads.emplace_back([&guarded, i = started] { guarded(i); });
    } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): done below instead
    }
    if (count > 0) guarded(0u);
    for (; started < count; ++started) guarded(started);
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace bpflink
