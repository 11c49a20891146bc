// An open file descriptor.
#pragma once

#include <unistd.h>

#include <utility>

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

}  // namespace bpflink
