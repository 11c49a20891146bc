// Work on many things, and how far it has come.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <functional>
#include <mutex>
#include <string_view>

#include "bpflink/error.hpp"

namespace bpflink {

/// On a terminal, says how far a run has come that takes longer than `delay`, and how long the rest
/// may take. For several threads.
class Progress {
 public:
  /// `noun` is what is counted, in the singular.
  Progress(size_t count, std::string_view noun,
           std::chrono::seconds delay = std::chrono::seconds(1));
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// One more is done. `at` says where, or is "".
  void advance(std::string_view at);
  void show(std::string_view at);

 private:
  void print(std::string_view at);

  size_t count_, done_ = 0, length_ = 0;
  std::string_view noun_;
  bool is_shown_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now(), next_;
  std::mutex mutex_;
};

/// Calls `work` with each index below `count`, on several threads. After an error nothing more
/// begins. Errors: the first by index.
std::expected<void, Error> for_each_index(
    size_t count, unsigned threads, const std::function<std::expected<void, Error>(size_t)>& work);

}  // namespace bpflink
