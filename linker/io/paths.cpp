#include "linker/io/paths.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include "linker/error.hpp"
#include "linker/io/descriptor.hpp"
#include "linker/io/sha256.hpp"

namespace bpflink {

std::string without_dots(std::string_view path) {
  std::string result(path.starts_with('/') ? "/" : "");
  while (!path.empty()) {
    std::string_view component = path.substr(0, path.find('/'));
    path.remove_prefix(component.size() + (component.size() < path.size() ? 1 : 0));
    if (component.empty() || component == ".") continue;
    if (!result.empty() && !result.ends_with('/')) result += '/';
    result += component;
  }
  return result.empty() ? "." : result;
}

std::string path_from_here(std::string_view path) {
  std::string clean = without_dots(path);
  std::error_code error;
  std::string here = std::filesystem::current_path(error).string();
  if (error || here.size() >= clean.size() || !clean.starts_with(here)) return clean;
  if (!here.ends_with('/')) here += '/';
  return clean.starts_with(here) ? clean.substr(here.size()) : clean;
}

std::optional<int> descriptor_of(std::string_view path) {
  for (std::string_view directory : {"/proc/self/fd/", "/dev/fd/"}) {
    if (!path.starts_with(directory)) continue;
    path.remove_prefix(directory.size());
    int fd = -1;
    auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), fd);
    if (error == std::errc() && end == path.data() + path.size() && fd >= 0) return fd;
  }
  return std::nullopt;
}

std::string file_name_for(std::string_view text) {
  constexpr size_t most = 200;  // a file system takes 255 bytes, with what the caller appends
  std::string name;
  for (unsigned char c : text) {
    if (name.size() >= most) break;
    bool is_plain = c > ' ' && c != 0x7f && c != '/' && c != '%' && (c != '.' || !name.empty());
    name += is_plain ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
  }
  if (name.size() < most) return name.empty() ? "%" : name;
  Sha256 digest;
  digest.add(std::as_bytes(std::span(text)));
  return name.substr(0, most / 2) + "%%" + hex_of(digest.finish());
}

std::string file_of_library(std::string_view name) {
  return name.starts_with(':') ? std::string(name.substr(1)) : fmt::format("lib{}.a", name);
}

std::optional<std::string> find_library(std::string_view name,
                                        const std::vector<std::string>& directories) {
  for (const std::string& directory : directories) {
    std::string path = without_dots(fmt::format("{}/{}", directory, file_of_library(name)));
    // One that cannot be looked at is not passed over for another one: opening it says why.
    if (auto found = find_file(path); !found || *found) return path;
  }
  return std::nullopt;
}

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
