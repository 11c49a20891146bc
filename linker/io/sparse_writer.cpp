#include "linker/io/sparse_writer.hpp"

#include <algorithm>
#include <cstring>

#include "dedup/try.hpp"
#include "linker/io/descriptor.hpp"

namespace bpflink {
namespace {

bool is_zero(std::span<const std::byte> bytes) {
  return bytes.front() == std::byte{0} &&
         std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

}  // namespace

std::expected<void, Error> SparseWriter::write(uint64_t offset, std::span<const std::byte> bytes) {
  // Copying fewer bytes, or filling a gap with fewer zeros, costs less than a separate write.
  constexpr size_t max_copied = 32 << 10, max_gathered = 2 * max_copied, max_gap = 512;
  uint64_t end = begin_ + gathered_.size();
  bool is_next = offset >= end && offset - end <= max_gap;
  bool is_large = bytes.size() > max_copied;
  if (!is_next || is_large || gathered_.size() + bytes.size() > max_gathered) TRY(finish());
  if (is_large) return write_large(offset, bytes);
  if (gathered_.empty()) begin_ = offset;
  gathered_.resize(offset - begin_);
  gathered_.insert(gathered_.end(), bytes.begin(), bytes.end());
  return {};
}

std::expected<void, Error> SparseWriter::finish() {
  auto written = write_all_at(fd_, begin_, gathered_);
  gathered_.clear();
  return written;
}

std::expected<void, Error> SparseWriter::write_large(uint64_t offset,
                                                     std::span<const std::byte> bytes) const {
  constexpr size_t block_size = 256 << 10;
  size_t begin = 0;
  for (size_t at = 0; at < bytes.size();) {
    auto block = bytes.subspan(at, std::min(block_size, bytes.size() - at));
    at += block.size();
    if (!is_zero(block)) continue;
    auto before = bytes.subspan(begin, at - block.size() - begin);
    TRY(write_all_at(fd_, offset + begin, before));
    begin = at;
  }
  return write_all_at(fd_, offset + begin, bytes.subspan(begin));
}

}  // namespace bpflink
