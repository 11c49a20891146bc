#include "linker/kernels/kernel_source.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>

#include "linker/error.hpp"
#include "linker/kernels/directory_walk.hpp"
#include "linker/kernels/kernel_image.hpp"
#include "linker/kernels/manifest.hpp"

namespace bpflink {
namespace {

namespace fs = std::filesystem;

/// "5.4.0-42-generic" for "5.4.0-42-generic.btf.tar.xz"; "" for a name without ".btf".
std::string stem_of_btf(const std::string& name) {
  size_t end = name.rfind(".btf");
  if (end == name.npos) return {};
  constexpr std::array<std::string_view, 7> endings = {"",        ".tar.xz", ".tar", ".xz",
                                                       ".tar.gz", ".gz",     ".zst"};
  std::string_view ending = std::string_view(name).substr(end + 4);
  return std::ranges::find(endings, ending) == endings.end() ? std::string() : name.substr(0, end);
}

}  // namespace

std::expected<std::vector<KernelSource>, Error> find_kernels(std::span<const std::string> paths,
                                                             KernelOptions options,
                                                             std::vector<std::string>* notes) {
  Manifest manifest;
  if (!options.manifest.empty()) {
    auto read = read_manifest(options.manifest);
    if (!read) return std::unexpected(read.error());
    manifest = std::move(*read);
  }
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    struct stat info;
    if (::stat(path.c_str(), &info) != 0) {
      auto error = system_error("cannot open");
      return fail("{}: {}", path, error.error().message);
    }
    if (!S_ISDIR(info.st_mode)) {
      names.push_back(path);
      continue;
    }
    size_t before = names.size();
    auto files = list_files(path, [](const std::string&) { return true; });
    if (!files) return std::unexpected(files.error());
    for (std::string& file : *files) {
      auto found = is_kernel_file(file);
      if (!found && notes) notes->push_back(file + ": is named like a kernel, but is none");
      if (found.value_or(false)) names.push_back(std::move(file));
    }
    if (names.size() == before) return fail("{}: has no kernel in it", path);
  }
  auto shared = std::make_shared<const KernelOptions>(std::move(options));
  std::vector<KernelSource> sources;
  for (std::string& name : names) {
    KernelSource source{std::move(name), {}, shared};
    if (!manifest.empty())
      if (auto it = manifest.find(canonical_path(source.name)); it != manifest.end())
        source.record = it->second;
    sources.push_back(std::move(source));
  }
  return sources;
}

std::optional<bool> is_kernel_file(const std::string& path) {
  std::array<std::byte, 4096> buffer;
  auto begin = read_begin(path, buffer);
  if (begins_like_kernel(begin)) return true;
  std::string name = fs::path(path).filename().string();
  bool is_of_kernel =
      name.starts_with("vmlinux") || name.starts_with("vmlinuz") || name.find(".btf") != name.npos;
  bool may_be_wrapped =
      is_of_kernel || name.find("vmlinu") != name.npos || name.find("Image") != name.npos;
  if (may_be_wrapped && begins_like_wrapped_kernel(begin)) return true;
  return is_of_kernel ? std::nullopt : std::optional(false);
}

bool begins_with_version(std::string_view text) {
  auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  size_t dot = text.find('.');
  return dot != 0 && dot != text.npos && std::ranges::all_of(text.substr(0, dot), is_digit) &&
         dot + 1 < text.size() && is_digit(text[dot + 1]);
}

KernelIdentity identity_of_path(const std::string& path) {
  fs::path file(path);
  std::string stem = stem_of_btf(file.filename().string());
  if (!begins_with_version(stem)) return {};
  KernelIdentity identity{.release = stem};
  std::string folder = file.parent_path().filename().string();
  if (is_arch_name(folder)) identity.arch = arch_name(folder);
  return identity;
}

}  // namespace bpflink
