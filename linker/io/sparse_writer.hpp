// Writes large data that is mostly zeros, and many small pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <vector>

#include "bpflink/error.hpp"

namespace bpflink {

/// Writes to places of a file where nothing was written yet. Blocks of zeros become holes; small
/// pieces that lie side by side are written together.
class SparseWriter {
 public:
  explicit SparseWriter(int fd) : fd_(fd) {}

  /// Writes `bytes` from byte `offset` on, at once or with the next ones. Errors: those of
  /// write_all_at().
  std::expected<void, Error> write(uint64_t offset, std::span<const std::byte> bytes);

  /// Writes what is left. Errors: those of write_all_at().
  std::expected<void, Error> finish();

 private:
  std::expected<void, Error> write_large(uint64_t offset, std::span<const std::byte> bytes) const;

  int fd_;
  std::vector<std::byte> pieces_;  ///< that were not written yet, with zeros between them
  uint64_t begin_ = 0;             ///< where the first of these goes
};

}  // namespace bpflink
