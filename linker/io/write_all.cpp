#include "linker/io/write_all.hpp"

#include <unistd.h>

#include "linker/error.hpp"
#include "linker/io/mapped_inputs.hpp"
#include "linker/io/retry.hpp"

namespace bpflink {
namespace {

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
