#include "linker/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace bpflink {
namespace {

std::unexpected<Error> system_error(std::string_view what = {}) {
  std::string reason = std::strerror(errno);
  return std::unexpected(Error{what.empty() ? reason : fmt::format("{}: {}", what, reason)});
}

std::string directory_of(const std::string& path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// A name beside `path` that nothing else has: the attempt's number tells
/// attempts apart, the process id processes.
std::string temporary_name(const std::string& path, int attempt) {
  size_t slash = path.rfind('/') + 1;  // 0 without a slash
  return fmt::format("{}.{}.{}-{}.tmp", path.substr(0, slash), path.substr(slash), ::getpid(),
                     attempt);
}

constexpr int MAX_ATTEMPTS = 100;

}  // namespace

std::expected<OutputFile, Error> OutputFile::open(const std::string& path) {
  OutputFile file;
  file.path_ = path;
  struct stat info;
  bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) return std::unexpected(Error{"is a directory"});
  if (exists && ::access(path.c_str(), W_OK) != 0) return system_error();
  if (exists && !S_ISREG(info.st_mode)) {
    file.special_fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file.special_fd_ < 0) return system_error();
    file.fd_ = ::memfd_create("bpflink-output", MFD_CLOEXEC);
    if (file.fd_ < 0) return system_error();
    return file;
  }
  if (exists) {
    std::array<char, PATH_MAX> resolved;
    if (!::realpath(path.c_str(), resolved.data())) return system_error();
    file.path_ = resolved.data();
  }
  if (auto ok = file.open_temporary(); !ok) return std::unexpected(ok.error());
  if (exists && ::fchmod(file.fd_, info.st_mode & 07777) != 0) return system_error();
  return file;
}

/// A file without a name where the file system can do that: then nothing stays
/// behind however the process ends. It gets its name through /proc, which a bare
/// chroot does not have.
std::expected<void, Error> OutputFile::open_temporary() {
  if (::access("/proc/self/fd", X_OK) == 0) {
    fd_ = ::open(directory_of(path_).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (fd_ >= 0) return {};
    if (errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == EROFS)
      return system_error();
  }
  for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    temporary_ = temporary_name(path_, attempt);
    fd_ = ::open(temporary_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
    if (fd_ >= 0) return {};
    if (errno != EEXIST) break;
  }
  temporary_.clear();
  return system_error();
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      fd_(std::exchange(other.fd_, -1)),
      special_fd_(std::exchange(other.special_fd_, -1)) {}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (special_fd_ >= 0) ::close(special_fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

std::expected<void, Error> OutputFile::commit() {
  if (special_fd_ >= 0) return commit_special();
  if (temporary_.empty()) {
    std::string unnamed = fmt::format("/proc/self/fd/{}", fd_);
    int result = -1;
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      std::string name = temporary_name(path_, attempt);
      result = ::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW);
      if (result == 0) temporary_ = name;
      if (result == 0 || errno != EEXIST) break;
    }
    if (result != 0) return system_error();
  }
  if (::close(std::exchange(fd_, -1)) != 0) return system_error();
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return system_error();
  temporary_.clear();
  return {};
}

std::expected<void, Error> OutputFile::commit_special() {
  std::array<char, 1 << 16> buffer;
  for (off_t offset = 0;;) {
    ssize_t size = ::pread(fd_, buffer.data(), buffer.size(), offset);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return system_error();
    if (size == 0) return {};
    for (ssize_t written = 0; written < size;) {
      ssize_t step = ::write(special_fd_, buffer.data() + written, size - written);
      if (step < 0 && errno == EINTR) continue;
      if (step < 0) return system_error();
      written += step;
    }
    offset += size;
  }
}

}  // namespace bpflink
