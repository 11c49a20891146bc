#include "linker/io/open_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "linker/io/retry.hpp"

namespace bpflink {
namespace {

std::unexpected<Error> system_error() {
  return std::unexpected(Error{std::strerror(errno)});
}

}  // namespace

std::expected<FileVersion, Error> version_of(int fd) {
  struct stat info;
  if (::fstat(fd, &info) != 0) return system_error();
  if (S_ISDIR(info.st_mode)) return std::unexpected(Error{"is a directory, not an object file"});
  if (!S_ISREG(info.st_mode)) return std::unexpected(Error{"is not a regular file"});
  return FileVersion{info.st_dev,
                     info.st_ino,
                     info.st_size,
                     {info.st_mtim.tv_sec, info.st_mtim.tv_nsec},
                     {info.st_ctim.tv_sec, info.st_ctim.tv_nsec}};
}

std::expected<OpenFile, Error> OpenFile::open(const std::string& path) {
  // O_NONBLOCK: a FIFO without a writer must not hang the link.
  int fd = retry([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); });
  if (fd < 0) return system_error();
  OpenFile file(fd, {});
  auto version = version_of(fd);
  if (!version) return std::unexpected(version.error());
  file.version_ = *version;
  return file;
}

OpenFile::OpenFile(OpenFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), version_(other.version_) {}

OpenFile::~OpenFile() {
  if (fd_ >= 0) ::close(fd_);
}

std::expected<void, Error> OpenFile::read(uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    ssize_t count =
        retry([&] { return ::pread(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
    if (count < 0) return system_error();
    if (count == 0) return std::unexpected(Error{"was cut off while it was read"});
    bytes = bytes.subspan(count);
    offset += count;
  }
  return {};
}

}  // namespace bpflink
