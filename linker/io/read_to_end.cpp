#include "linker/io/read_to_end.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "linker/io/retry.hpp"

namespace bpflink {

std::expected<std::vector<std::byte>, Error> read_to_end(int fd) {
  std::vector<std::byte> bytes;
  std::array<std::byte, 1 << 16> buffer;
  for (;;) {
    ssize_t count = retry([&] { return ::read(fd, buffer.data(), buffer.size()); });
    if (count < 0) return std::unexpected(Error{std::strerror(errno)});
    if (count == 0) return bytes;
    bytes.insert(bytes.end(), buffer.begin(), buffer.begin() + count);
  }
}

}  // namespace bpflink
