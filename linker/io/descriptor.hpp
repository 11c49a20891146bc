// Open file descriptors: closing, reading to the end and writing all, in as many system calls as it
// takes.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <utility>
#include <vector>

#include "bpflink/error.hpp"

namespace bpflink {

/// Closes a descriptor when it ends.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (is_open()) ::close(fd_);
  }

  bool is_open() const { return fd_ >= 0; }
  /// -1 for none.
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
};

/// Makes a system call again for as long as signals interrupt it.
template <typename Call>
auto retry(Call call) {
  for (;;)
    if (auto result = call(); result >= 0 || errno != EINTR) return result;
}

/// Reads `fd`, such as a pipe that cannot be mapped, to its end, or `limit` bytes, and waits for
/// data. Errors: a read fails; the message gives the reason.
std::expected<std::vector<std::byte>, Error> read_to_end(int fd, size_t limit = SIZE_MAX);

/// Writes to `fd` at its position. Errors: "cannot write: " and the reason.
std::expected<void, Error> write_all(int fd, std::span<const std::byte> bytes);

/// Writes to the file `fd` at byte `offset`. Errors: as above.
std::expected<void, Error> write_all_at(int fd, uint64_t offset, std::span<const std::byte> bytes);

}  // namespace bpflink
