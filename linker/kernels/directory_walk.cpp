#include "linker/kernels/directory_walk.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>
#include <utility>

#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/io/descriptor.hpp"
#include "linker/io/paths.hpp"

namespace bpflink {
namespace {

constexpr int deepest_directory = 64;
constexpr size_t max_entries = 1'000'000;

class Walk {
 public:
  explicit Walk(const std::function<bool(const std::string&)>& enters) : enters_(enters) {}

  std::expected<void, Error> visit(const std::string& directory, int depth) {
    if (depth > deepest_directory) return fail("{}: is too deep", directory);
    auto names = list_directory(directory);
    if (!names) return fail("{}: {}", directory, names.error().message);
    entry_count_ += names->size();
    if (entry_count_ > max_entries)
      return fail("{}: has more than {} files", directory, max_entries);
    for (const std::string& name : *names) {
      if (name.starts_with('.')) continue;
      std::string path =
          fmt::format("{}{}{}", directory, directory.ends_with('/') ? "" : "/", name);
      struct stat info, target;
      if (::lstat(path.c_str(), &info) != 0) {
        if (errno == ENOENT) continue;  // it was removed meanwhile
        return fail_entry(path);
      }
      bool is_link = S_ISLNK(info.st_mode);
      if (is_link && ::stat(path.c_str(), &target) == 0) {
        info = target;
      } else if (is_link) {
        if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) continue;  // it leads nowhere
        if (errno != EACCES) return fail_entry(path);
        info.st_mode = S_IFREG;  // who opens it finds out whether it matters
      }
      if (S_ISDIR(info.st_mode) && !is_link && enters_(name)) {
        TRY(visit(path, depth + 1));
      } else if (S_ISREG(info.st_mode)) {
        add(std::move(path), is_link, {info.st_dev, info.st_ino});
      }
    }
    return {};
  }

  std::vector<std::string> take_files() {
    std::vector<std::string> paths;
    for (File& file : files_)
      if (!file.is_link || seen_.insert(file.identity).second)
        paths.push_back(std::move(file.path));
    return paths;
  }

 private:
  static std::unexpected<Error> fail_entry(const std::string& path) {
    auto error = system_error("cannot open");
    return fail("{}: {}", path, error.error().message);
  }

  struct File {
    std::string path;
    bool is_link;
    std::pair<dev_t, ino_t> identity;
  };

  void add(std::string path, bool is_link, std::pair<dev_t, ino_t> identity) {
    if (!is_link) seen_.insert(identity);
    files_.push_back({std::move(path), is_link, identity});
  }

  const std::function<bool(const std::string&)>& enters_;
  std::vector<File> files_;
  size_t entry_count_ = 0;
  std::set<std::pair<dev_t, ino_t>> seen_;  ///< listed by a name that is not a link
};

}  // namespace

std::expected<std::vector<std::string>, Error> list_files(
    const std::string& directory, const std::function<bool(const std::string& name)>& enters) {
  Walk walk(enters);
  TRY(walk.visit(directory, 0));
  return walk.take_files();
}

std::expected<std::span<const std::byte>, Error> read_begin(const std::string& path,
                                                            std::span<std::byte> buffer) {
  constexpr int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  Descriptor file(retry([&] { return ::open(path.c_str(), flags); }));
  ssize_t count = file.is_open()
                      ? retry([&] { return ::pread(file.fd(), buffer.data(), buffer.size(), 0); })
                      : -1;
  if (count >= 0) return buffer.first(static_cast<size_t>(count));
  auto error = system_error(file.is_open() ? "cannot read" : "cannot open");
  return fail("{}: {}", path, error.error().message);
}

}  // namespace bpflink
