#include "linker/output_bytes.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "linker/elf_writer.hpp"
#include "linker/retry.hpp"

namespace bpflink {
namespace {

std::unexpected<Error> system_error() {
  return std::unexpected(Error{std::strerror(errno)});
}

struct ScopedFd {
  int fd;
  ~ScopedFd() {
    if (fd >= 0) ::close(fd);
  }
};

std::expected<void, Error> read_all(int fd, std::span<std::byte> bytes) {
  for (size_t done = 0; done < bytes.size();) {
    ssize_t step = retry([&] {
      return ::pread(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    });
    if (step < 0) return system_error();
    if (step == 0) return std::unexpected(Error{"the output was cut short"});
    done += step;
  }
  return {};
}

std::expected<void, Error> write_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t step = retry([&] { return ::write(fd, bytes.data(), bytes.size()); });
    if (step < 0) return system_error();
    bytes = bytes.subspan(step);
  }
  return {};
}

}  // namespace

std::expected<std::vector<std::byte>, Error> write_to_memory(Context& context) {
  ScopedFd file{::memfd_create("bpflink-output", MFD_CLOEXEC)};
  if (file.fd < 0) return system_error();
  if (auto ok = write_elf(context, file.fd); !ok) return std::unexpected(ok.error());
  struct stat info;
  if (::fstat(file.fd, &info) != 0) return system_error();
  std::vector<std::byte> bytes(info.st_size);
  if (auto ok = read_all(file.fd, bytes); !ok) return std::unexpected(ok.error());
  return bytes;
}

std::expected<void, Error> write_to_fd(std::span<const std::byte> bytes, int fd) {
  if (::lseek(fd, 0, SEEK_SET) == 0 && ::ftruncate(fd, 0) != 0) return system_error();
  return write_all(fd, bytes);
}

}  // namespace bpflink
