// A loop whose rounds run at the same time.
#pragma once

#include <system_error>
#include <thread>
#include <vector>

namespace bpflink {

/// Calls work(0) to work(count - 1), each in a thread of its own but the first,
/// and returns when all are done. Threads of the standard library rather than a
/// pool: a loop that is worth it runs a few times in a process, and a program
/// that does not need one must not pay for a library at its start. Where the
/// system gives no more threads, the caller's does the work. `work` must not
/// throw.
template <typename Work>
void run_threads(unsigned count, Work&& work) {
  std::vector<std::jthread> threads;
  threads.reserve(count);
  unsigned started = 1;
  try {
    for (; started < count; ++started) threads.emplace_back([&work, i = started] { work(i); });
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): done below instead
  }
  if (count > 0) work(0u);
  for (; started < count; ++started) work(started);
}

}  // namespace bpflink
