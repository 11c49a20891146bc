#include "linker/text/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <string>
#include <vector>

#include "dedup/merge/run_threads.hpp"
#include "dedup/messages.hpp"

namespace bpflink {

Progress::Progress(size_t count, std::string_view noun, std::chrono::seconds delay)
    : count_(count),
      noun_(noun),
      is_shown_(count > 1 && ::isatty(STDERR_FILENO) == 1),
      next_(begin_ + delay) {}

Progress::~Progress() {
  if (length_ != 0) fmt::print(stderr, "\r{:{}}\r", "", length_);
}

void Progress::advance(std::string_view at) {
  std::lock_guard lock(mutex_);
  ++done_;
  print(at);
}

void Progress::show(std::string_view at) {
  std::lock_guard lock(mutex_);
  print(at);
}

void Progress::print(std::string_view at) {
  auto now = std::chrono::steady_clock::now();
  if (!is_shown_ || now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  std::string text =
      fmt::format("{}{}{} of {}", at, at.empty() ? "" : ": ", done_, count_of(count_, noun_));
  auto left = std::chrono::duration_cast<std::chrono::seconds>((now - begin_) * (count_ - done_) /
                                                               std::max<size_t>(done_, 1));
  if (done_ != 0 && left.count() > 1) text += fmt::format(", {} s left", left.count());
  length_ = std::max(length_, text.size());
  fmt::print(stderr, "\r{:{}}", text, length_);
  std::fflush(stderr);
}

std::expected<void, Error> for_each_index(
    size_t count, unsigned threads, const std::function<std::expected<void, Error>(size_t)>& work) {
  std::vector<std::expected<void, Error>> results(count);
  std::atomic<size_t> next = 0;
  std::atomic<bool> has_failed = false;
  run_threads(static_cast<unsigned>(std::min<size_t>(threads, count)), [&](unsigned) {
    for (size_t i = next++; i < count && !has_failed; i = next++) {
      results[i] = work(i);
      if (!results[i]) has_failed = true;
    }
  });
  auto failed = std::ranges::find_if(results, [](const auto& result) { return !result; });
  return failed == results.end() ? std::expected<void, Error>() : *failed;
}

}  // namespace bpflink
