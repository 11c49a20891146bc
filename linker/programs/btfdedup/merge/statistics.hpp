// The statistics of --stats.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "bpflink/btf.hpp"
#include "bpflink/image_btf.hpp"

namespace bpflink {

/// Counts of the input or output of a deduplication.
struct BtfSizes {
  uint64_t blobs = 0;
  uint64_t types = 0;
  uint64_t string_bytes = 0;
  uint64_t bytes = 0;

  void add(const Btf& btf, uint64_t size);
};

struct Statistics {
  using Clock = std::chrono::steady_clock;

  BtfSizes input;
  std::optional<ImageResult> linked;  ///< of --linked, without the types
  // Seconds. Classify: reading, checking and finding equal types. Resolve: separating ambiguous
  // names, and numbering.
  double classify = 0, resolve = 0, write = 0;

  std::string as_text(const BtfSizes& output) const;
  std::string as_json(const BtfSizes& output) const;
};

/// Adds the time until its end to a sum of seconds.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum), start_(Statistics::Clock::now()) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() { sum_ += std::chrono::duration<double>(Statistics::Clock::now() - start_).count(); }

 private:
  double& sum_;
  Statistics::Clock::time_point start_;
};

}  // namespace bpflink
