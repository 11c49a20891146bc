#include "linker/kernels/directory_walk.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "linker/error.hpp"
#include "linker/io/retry.hpp"

namespace bpflink {
namespace {

namespace fs = std::filesystem;

constexpr int deepest_directory = 64;
constexpr size_t max_entries = 1'000'000;

class Walk {
 public:
  explicit Walk(const std::function<bool(const std::string&)>& enters) : enters_(enters) {}

  std::expected<void, Error> visit(const fs::path& directory, int depth) {
    if (depth > deepest_directory) return fail("{}: is too deep", directory.string());
    auto entries = sorted_entries(directory);
    if (!entries) return std::unexpected(entries.error());
    for (const fs::directory_entry& entry : *entries) {
      std::error_code error;
      std::string name = entry.path().filename().string();
      if (name.starts_with('.')) continue;
      if (entry.is_directory(error)) {
        if (entry.is_symlink(error) || !enters_(name)) continue;
        if (auto ok = visit(entry.path(), depth + 1); !ok) return ok;
      } else if (entry.is_regular_file(error)) {
        add(entry.path(), entry.is_symlink(error));
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
  std::expected<std::vector<fs::directory_entry>, Error> sorted_entries(const fs::path& directory) {
    std::vector<fs::directory_entry> entries;
    std::error_code error;
    fs::directory_iterator iterator(directory, error), end;
    while (!error && iterator != end) {
      if (++entry_count_ > max_entries)
        return fail("{}: has more than {} files", directory.string(), max_entries);
      entries.push_back(*iterator);
      iterator.increment(error);
    }
    if (error) return fail("{}: cannot read: {}", directory.string(), error.message());
    std::ranges::sort(entries, {}, [](const fs::directory_entry& entry) { return entry.path(); });
    return entries;
  }

  struct File {
    std::string path;
    bool is_link;
    std::pair<dev_t, ino_t> identity;
  };

  void add(const fs::path& path, bool is_link) {
    struct stat info;
    if (::stat(path.c_str(), &info) != 0) return;
    std::pair identity(info.st_dev, info.st_ino);
    if (!is_link) seen_.insert(identity);
    files_.push_back({path.string(), is_link, identity});
  }

  const std::function<bool(const std::string&)>& enters_;
  std::vector<File> files_;
  size_t entry_count_ = 0;
  std::set<std::pair<dev_t, ino_t>> seen_;  ///< listed by a name that is no link
};

}  // namespace

std::expected<std::vector<std::string>, Error> list_files(
    const std::string& directory, const std::function<bool(const std::string& name)>& enters) {
  Walk walk(enters);
  if (auto ok = walk.visit(directory, 0); !ok) return std::unexpected(ok.error());
  return walk.take_files();
}

std::span<const std::byte> read_begin(const std::string& path, std::span<std::byte> buffer) {
  int fd = retry([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); });
  if (fd < 0) return {};
  ssize_t count = retry([&] { return ::pread(fd, buffer.data(), buffer.size(), 0); });
  ::close(fd);
  return buffer.first(count > 0 ? static_cast<size_t>(count) : 0);
}

}  // namespace bpflink
