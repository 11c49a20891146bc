// Writes large data that is mostly zeros, and many small runs of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <vector>

#include "bpflink/error.hpp"

namespace bpflink {

/// Writes to new places of a file. Blocks of zeros become holes; small adjacent runs are written
/// together.
class SparseWriter {
 public:
  explicit SparseWriter(int fd) : fd_(fd) {}

  /// Writes `bytes` at byte `offset`, at once or together with the next call's. Errors: those of
  /// write_all_at().
  std::expected<void, Error> write(uint64_t offset, std::span<const std::byte> bytes);

  /// Writes the rest. Errors: those of write_all_at().
  std::expected<void, Error> finish();

 private:
  std::expected<void, Error> write_large(uint64_t offset, std::span<const std::byte> bytes) const;

  int fd_;
  std::vector<std::byte> gathered_;  ///< bytes not written yet, with zeros between them
  uint64_t begin_ = 0;               ///< the file offset of gathered_
};

}  // namespace bpflink
