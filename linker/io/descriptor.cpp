#include "linker/io/descriptor.hpp"

#include <poll.h>

#include <algorithm>
#include <array>

#include "linker/error.hpp"
#include "linker/io/mapped_inputs.hpp"

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

/// Calls `write(bytes)`, which returns how many bytes it has written, until none are left.
template <typename Write>
std::expected<void, Error> write_in_steps(std::span<const std::byte> bytes, Write write) {
  while (!bytes.empty()) {
    ssize_t step = retry([&] { return write(bytes); });
    if (step < 0) return fail("cannot write: {}", describe_write_failure(bytes).message);
    bytes = bytes.subspan(static_cast<size_t>(step));
  }
  return {};
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

std::expected<void, Error> write_all(int fd, std::span<const std::byte> bytes) {
  return write_in_steps(bytes, [&](auto rest) { return ::write(fd, rest.data(), rest.size()); });
}

std::expected<void, Error> write_all_at(int fd, uint64_t offset, std::span<const std::byte> bytes) {
  const std::byte* begin = bytes.data();
  return write_in_steps(bytes, [&](auto rest) {
    auto at = static_cast<off_t>(offset + (rest.data() - begin));
    return ::pwrite(fd, rest.data(), rest.size(), at);
  });
}

}  // namespace bpflink
