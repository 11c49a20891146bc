#include "linker/io/temporaries.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <utility>

#include "linker/io/descriptor.hpp"
#include "linker/io/signals.hpp"

namespace bpflink {

/// The list only grows, so a signal handler needs no lock. It is freed when the process ends.
struct Temporary::Listed {
  std::string path;
  Listed* before;
  std::atomic<bool> exists = true;
};
constinit std::atomic<Temporary::Listed*> Temporary::latest = nullptr;

namespace {

std::atomic<bool> are_listed = false;

constexpr int max_names = 100;

void remove_path(const char* path) {
  if (::unlink(path) != 0 && (errno == EISDIR || errno == EPERM)) ::rmdir(path);
}

std::string temporary_name(const std::string& path, int number) {
  constexpr size_t max_stem = 200;     // with the rest, less than NAME_MAX
  size_t slash = path.rfind('/') + 1;  // 0 without a slash
  return fmt::format("{}.{}.bpflink-{}.tmp", path.substr(0, slash), path.substr(slash, max_stem),
                     number);
}

/// Whether a file of the directory is one that this user left here: not a link, and nothing that
/// another user put in the way.
bool is_own_file(int fd, std::optional<uid_t> owner) {
  struct stat info;
  return ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 1 &&
         (info.st_uid == ::geteuid() || info.st_uid == owner);
}

bool is_at(int fd, const std::string& name) {
  struct stat file, named;
  return ::fstat(fd, &file) == 0 && ::lstat(name.c_str(), &named) == 0 &&
         file.st_dev == named.st_dev && file.st_ino == named.st_ino;
}

enum class Leftover { Absent, InUse, Removed };

/// Removes a file of that name if no process has locked it. The lock is held meanwhile: of two
/// processes that find a leftover, one removes it.
Leftover remove_leftover(const std::string& name, std::optional<uid_t> owner) {
  int fd = -1;
  for (int access : {O_RDWR, O_RDONLY}) {  // NFS locks only what may be written
    int flags = access | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    if (fd < 0) fd = retry([&] { return ::open(name.c_str(), flags); });
    if (fd < 0 && errno == ENOENT) return Leftover::Absent;
  }
  if (fd < 0) return Leftover::InUse;
  bool is_removed = is_own_file(fd, owner) && ::flock(fd, LOCK_EX | LOCK_NB) == 0 &&
                    is_at(fd, name) && ::unlink(name.c_str()) == 0;
  ::close(fd);
  return is_removed ? Leftover::Removed : Leftover::InUse;
}

}  // namespace

Temporary::Temporary(std::string path) : path_(std::move(path)) {
  if (!are_listed) return;
  listed_ = new Listed{path_, latest};
  while (!latest.compare_exchange_weak(listed_->before, listed_)) {
  }
}

Temporary::Temporary(Temporary&& other) noexcept
    : path_(std::exchange(other.path_, {})), listed_(std::exchange(other.listed_, nullptr)) {}

Temporary& Temporary::operator=(Temporary&& other) noexcept {
  remove();
  path_ = std::exchange(other.path_, {});
  listed_ = std::exchange(other.listed_, nullptr);
  return *this;
}

void Temporary::remove() {
  if (!path_.empty()) remove_path(path_.c_str());
  keep();
}

void Temporary::keep() {
  if (listed_) listed_->exists = false;
  listed_ = nullptr;
  path_.clear();
}

void list_temporaries() {
  are_listed = true;
}

void remove_temporaries() {
  for (Temporary::Listed* one = Temporary::latest; one; one = one->before)
    if (one->exists) remove_path(one->path.c_str());
}

std::optional<Temporary> create_temporary(const std::string& path, std::optional<uid_t> owner,
                                          const std::function<bool(const std::string&)>& create) {
  // A signal comes before the file is made, or finds it listed.
  HeldSignals held;
  for (int number = 0; number < max_names; ++number) {
    std::string name = temporary_name(path, number);
    bool is_made = create(name);
    if (!is_made && errno != EEXIST) return std::nullopt;
    if (!is_made && remove_leftover(name, owner) == Leftover::Removed) is_made = create(name);
    if (!is_made) continue;
    Temporary made(std::move(name));
    while (++number < max_names)
      if (remove_leftover(temporary_name(path, number), owner) == Leftover::Absent) break;
    return made;
  }
  errno = EEXIST;
  return std::nullopt;
}

bool lock_temporary(int fd) {
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  struct stat info;
  return ::fstat(fd, &info) != 0 || info.st_nlink != 0;
}

}  // namespace bpflink
