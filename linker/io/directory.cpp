#include "linker/io/directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "linker/error.hpp"
#include "linker/io/descriptor.hpp"

namespace bpflink {

std::expected<std::optional<struct stat>, Error> find_file(const std::string& path) {
  if (path.empty()) return std::nullopt;  // as the system says
  struct stat info;
  if (retry([&] { return ::stat(path.c_str(), &info); }) == 0) return info;
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  return system_error("cannot open");
}

std::expected<std::optional<std::string>, Error> canonical_path(const std::string& path) {
  std::unique_ptr<char, void (*)(void*)> canonical(::realpath(path.c_str(), nullptr), ::free);
  if (canonical) return canonical.get();
  if (errno == ENOENT || errno == ENOTDIR || errno == EACCES) return std::nullopt;
  return system_error("cannot open");
}

bool is_directory(const std::string& path) {
  auto found = find_file(path);
  return found && *found && S_ISDIR((*found)->st_mode);
}

std::expected<std::vector<std::string>, Error> list_directory(const std::string& path) {
  constexpr size_t max_names = 1'000'000;
  constexpr int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  int fd = retry([&] { return ::open(path.c_str(), flags); });
  std::unique_ptr<DIR, int (*)(DIR*)> directory(fd < 0 ? nullptr : ::fdopendir(fd), ::closedir);
  if (!directory) {
    auto error = system_error("cannot read");
    if (fd >= 0) ::close(fd);
    return error;
  }
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(directory.get());
    if (!entry && errno == EINTR) continue;
    if (!entry && errno != 0) return system_error("cannot read");
    if (!entry) break;
    std::string_view name = static_cast<const char*>(entry->d_name);
    if (name == "." || name == "..") continue;
    if (names.size() == max_names) return fail("has more than {} files", max_names);
    names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace bpflink
