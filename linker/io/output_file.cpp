#include "linker/io/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <optional>
#include <utility>

#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/io/descriptor.hpp"
#include "linker/io/file_rights.hpp"
#include "linker/io/paths.hpp"
#include "linker/io/signals.hpp"

namespace bpflink {
namespace {

Descriptor open_file(const std::string& path, int flags, mode_t mode = 0) {
  return Descriptor(retry([&] { return ::open(path.c_str(), flags | O_CLOEXEC, mode); }));
}

Descriptor copy_of(int fd) {
  return Descriptor(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
}

std::string directory_of(const std::string& path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// Whether a symbolic link may be a trap: another user's, in a directory such as /tmp. As the
/// kernel with protected_symlinks (proc_sys_fs(5)) refuses to follow it, so does this.
bool is_foreign_link(const std::string& path) {
  struct stat link, directory;
  constexpr mode_t shared = S_ISVTX | S_IWOTH;
  return ::lstat(path.c_str(), &link) == 0 && ::stat(directory_of(path).c_str(), &directory) == 0 &&
         (directory.st_mode & shared) == shared && link.st_uid != ::geteuid() &&
         link.st_uid != directory.st_uid;
}

/// Follows symbolic links, even to a file that does not exist. Links to descriptors are not
/// followed: the file behind one may have no name.
std::expected<std::string, Error> follow_links(std::string path) {
  constexpr int max_links = 40;
  for (int i = 0; i < max_links; ++i) {
    std::array<char, PATH_MAX> target;
    if (descriptor_of(path)) return path;
    ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
    if (size < 0 && errno != EINVAL && errno != ENOENT)
      return system_error("cannot open output file");
    if (size < 0) return path;  // not a link, or a new file
    if (is_foreign_link(path))
      return fail("cannot open output file: '{}' is another user's link in a shared directory",
                  path);
    std::string_view text(target.data(), static_cast<size_t>(size));
    path =
        text.starts_with('/') ? std::string(text) : fmt::format("{}/{}", directory_of(path), text);
  }
  errno = ELOOP;
  return system_error("cannot open output file");
}

/// Whether the process has an owner's rights to every file.
bool overrides_ownership() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets = {};
  return ::syscall(SYS_capget, &header, sets.data()) == 0 &&
         (sets[CAP_TO_INDEX(CAP_FOWNER)].effective & CAP_TO_MASK(CAP_FOWNER)) != 0;
}

/// Whether the directory's sticky bit forbids replacing the file in it (inode(7)).
bool is_kept_by_sticky_bit(const struct stat& directory, const struct stat& file) {
  uid_t user = ::geteuid();
  return (directory.st_mode & S_ISVTX) != 0 && file.st_uid != user && directory.st_uid != user &&
         !overrides_ownership();
}

std::unexpected<Error> commit_error() {
  return system_error("cannot put the output in its place");
}

}  // namespace

std::expected<OutputFile, Error> OutputFile::open(const std::string& path) {
  OutputFile file;
  if (path.empty()) return fail("cannot open output file: it has no name");
  auto target = TRY(follow_links(path));
  file.path_ = target;
  struct stat info;
  bool exists = ::stat(target.c_str(), &info) == 0;
  if (!exists && errno != ENOENT) return system_error("cannot open output file");
  if (exists && S_ISDIR(info.st_mode)) return fail("cannot open output file: is a directory");
  if (exists && ::access(target.c_str(), W_OK) != 0) return system_error("cannot open output file");
  auto descriptor = descriptor_of(target);
  if (descriptor || (exists && !S_ISREG(info.st_mode))) {
    // The caller's descriptor keeps its position.
    return open_special(descriptor ? copy_of(*descriptor) : open_file(target, O_WRONLY));
  }
  const std::string directory = directory_of(target);
  struct stat directory_info;
  bool has_directory = ::stat(directory.c_str(), &directory_info) == 0;
  if (!has_directory && errno == ENOENT)
    return fail("cannot open output file: there is no directory '{}'", directory);
  if (exists && has_directory && is_kept_by_sticky_bit(directory_info, info))
    return fail("cannot open output file: it is another user's, and '{}' has the sticky bit",
                directory);
  if (exists) file.owner_ = info.st_uid;
  // Others get no right before they have it to the file that is replaced.
  TRY(file.open_temporary(exists ? 0600 : 0666));
  if (exists) {
    file.identity_.emplace(info);
    TRY(copy_rights(file.fd(), target, info));
  } else if (has_directory) {
    file.identity_.emplace(directory_info, target.substr(target.rfind('/') + 1));
  }
  return file;
}

std::expected<Descriptor, Error> OutputFile::open_to_append(const std::string& path) {
  auto target = TRY(follow_links(path));
  constexpr int flags = O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY;
  Descriptor file = open_file(target, flags, 0666);
  if (!file.is_open() || ::fcntl(file.fd(), F_SETFL, O_APPEND) != 0)
    return system_error("cannot open output file");
  return file;
}

std::expected<OutputFile, Error> OutputFile::open(int fd) {
  auto file = open_special(copy_of(fd));
  if (file) file->replaces_contents_ = true;
  return file;
}

std::expected<OutputFile, Error> OutputFile::open_in_memory() {
  OutputFile file;
  file.file_ = Descriptor(::memfd_create("bpflink-output", MFD_CLOEXEC));
  if (!file.file_.is_open()) return system_error("cannot open output file");
  return file;
}

/// A file in memory, which commit() copies to `target`, unless that could not be opened.
std::expected<OutputFile, Error> OutputFile::open_special(Descriptor target) {
  int flags = target.is_open() ? ::fcntl(target.fd(), F_GETFL) : -1;
  if (flags < 0) return system_error("cannot open output file");
  if ((flags & O_ACCMODE) == O_RDONLY)
    return fail("cannot open output file: it is closed, or open only for reading");
  auto file = open_in_memory();
  if (!file) return file;
  struct stat info;
  if (::fstat(target.fd(), &info) == 0 && !S_ISCHR(info.st_mode)) file->identity_.emplace(info);
  file->special_ = std::move(target);
  return file;
}

/// Opens a file without a name if the file system supports that: then nothing is left behind,
/// however the process ends. It gets its name through /proc, which a bare chroot does not have.
std::expected<void, Error> OutputFile::open_temporary(mode_t mode) {
  if (::access("/proc/self/fd", X_OK) == 0) {
    file_ = open_file(directory_of(path_), O_TMPFILE | O_RDWR, mode);
    if (file_.is_open()) return {};
    if (errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == EROFS)
      return system_error("cannot open output file");
  }
  auto made = create_temporary(path_, owner_, [&](const std::string& name) {
    file_ = open_file(name, O_CREAT | O_EXCL | O_RDWR, mode);
    if (!file_.is_open() || lock_temporary(file_.fd())) return file_.is_open();
    errno = EEXIST;
    return false;
  });
  if (!made) return system_error("cannot open output file");
  temporary_ = std::move(*made);
  return {};
}

std::expected<void, Error> OutputFile::prepare() {
  if (is_in_memory() || is_special() || !temporary_.empty()) return {};
  TRY(name_temporary());
  // Closing a descriptor reports what could not be stored (NFS). Another one holds the lock.
  int copy = ::fcntl(fd(), F_DUPFD_CLOEXEC, 0);
  if (copy < 0 || ::close(copy) != 0) return commit_error();
  return {};
}

/// Gives the file a name beside the path, so that a rename can put it there in one step: linkat()
/// cannot replace a file.
std::expected<void, Error> OutputFile::name_temporary() {
  if (!temporary_.empty()) return {};
  lock_temporary(fd());
  std::string unnamed = fmt::format("/proc/self/fd/{}", fd());
  auto made = create_temporary(path_, owner_, [&](const std::string& name) {
    return ::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  });
  if (!made) return commit_error();
  temporary_ = std::move(*made);
  return {};
}

std::expected<void, Error> OutputFile::commit() {
  TRY(prepare());
  if (is_in_memory()) return {};
  if (is_special()) return commit_special();
  HeldSignals held;  // the name is another process's once it is free
  if (::rename(temporary_.path().c_str(), path_.c_str()) != 0) return commit_error();
  temporary_.keep();
  return {};
}

std::expected<void, Error> OutputFile::commit_special() {
  if (replaces_contents_ && ::lseek(special_.fd(), 0, SEEK_SET) == 0 &&
      ::ftruncate(special_.fd(), 0) != 0)
    return system_error("cannot write");
  std::array<std::byte, 1 << 16> buffer;
  for (off_t offset = 0;;) {
    ssize_t size = retry([&] { return ::pread(fd(), buffer.data(), buffer.size(), offset); });
    if (size < 0) return system_error("cannot write");
    if (size == 0) return {};
    auto bytes = std::span(buffer).first(static_cast<size_t>(size));
    TRY(write_all(special_.fd(), bytes));
    offset += size;
  }
}

}  // namespace bpflink
