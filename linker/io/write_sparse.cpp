#include "linker/io/write_sparse.hpp"

#include <algorithm>
#include <cstring>

#include "linker/io/write_all.hpp"

namespace bpflink {
namespace {

bool is_zero(std::span<const std::byte> bytes) {
  return bytes.front() == std::byte{0} &&
         std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

}  // namespace

std::expected<void, Error> write_sparse(int fd, uint64_t offset, std::span<const std::byte> bytes) {
  constexpr size_t block_size = 256 << 10;
  size_t begin = 0;
  for (size_t at = 0; at < bytes.size();) {
    auto block = bytes.subspan(at, std::min(block_size, bytes.size() - at));
    at += block.size();
    if (!is_zero(block)) continue;
    auto before = bytes.subspan(begin, at - block.size() - begin);
    if (auto ok = write_all_at(fd, offset + begin, before); !ok) return ok;
    begin = at;
  }
  return write_all_at(fd, offset + begin, bytes.subspan(begin));
}

}  // namespace bpflink
