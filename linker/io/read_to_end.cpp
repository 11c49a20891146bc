#include "linker/io/read_to_end.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>

#include "linker/error.hpp"
#include "linker/io/retry.hpp"

namespace bpflink {
namespace {

/// read() that waits for bytes even if the descriptor is non-blocking.
ssize_t read_some(int fd, std::span<std::byte> buffer) {
  for (;;) {
    ssize_t count = retry([&] { return ::read(fd, buffer.data(), buffer.size()); });
    if (count >= 0 || errno != EAGAIN) return count;
    pollfd wanted{fd, POLLIN, 0};
    if (retry([&] { return ::poll(&wanted, 1, -1); }) < 0) return -1;
  }
}

}  // namespace

std::expected<std::vector<std::byte>, Error> read_to_end(int fd, size_t limit) {
  std::vector<std::byte> bytes;
  std::array<std::byte, 1 << 16> buffer;
  while (bytes.size() < limit) {
    ssize_t count =
        read_some(fd, std::span(buffer).first(std::min(buffer.size(), limit - bytes.size())));
    if (count < 0) return system_error("cannot read");
    if (count == 0) break;
    bytes.insert(bytes.end(), buffer.begin(), buffer.begin() + count);
  }
  return bytes;
}

}  // namespace bpflink
