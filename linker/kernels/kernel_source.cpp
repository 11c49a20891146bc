#include "linker/kernels/kernel_source.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "linker/error.hpp"
#include "linker/io/directory.hpp"
#include "linker/kernels/directory_walk.hpp"
#include "linker/kernels/kernel_image.hpp"
#include "linker/kernels/manifest.hpp"
#include "linker/object/linux_release.hpp"

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

/// Whether such a name is a kernel's, or one that the kernel may be in.
bool is_kernel_name(const std::string& name) {
  return name.starts_with("vmlinux") || name.starts_with("vmlinuz") ||
         name.find(".btf") != name.npos;
}
bool may_wrap_kernel(const std::string& name) {
  return is_kernel_name(name) || name.find("vmlinu") != name.npos ||
         name.find("Image") != name.npos;
}

std::string file_name_of(const std::string& path) {
  return fs::path(path).filename().string();
}

/// Adds the kernels in a directory.
std::expected<void, Error> add_kernels(std::vector<KernelSource>& sources,
                                       const std::string& directory,
                                       std::vector<std::string>* notes) {
  auto files = list_files(directory, [](const std::string&) { return true; });
  if (!files) return std::unexpected(files.error());
  bool has_kernel = false;
  for (std::string& file : *files) {
    auto look = look_for_kernel(file);
    if (!look && may_wrap_kernel(file_name_of(file))) return std::unexpected(look.error());
    if (!look && notes) notes->push_back(look.error().message);
    if (look == KernelLook::OnlyByName && notes)
      notes->push_back(file + ": is named like a kernel, but is none");
    if (look != KernelLook::Kernel) continue;
    sources.push_back({.name = std::move(file), .is_listed = true});
    has_kernel = true;
  }
  if (!has_kernel) return fail("{}: has no kernel in it", directory);
  return {};
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
  std::vector<KernelSource> sources;
  for (const std::string& path : paths) {
    auto info = find_file(path);
    if (!info) return fail_in(path, info.error());
    if (!*info) return fail("{}: cannot open: {}", path, std::strerror(ENOENT));
    if (!S_ISDIR((*info)->st_mode))
      sources.push_back({.name = path});
    else if (auto ok = add_kernels(sources, path, notes); !ok)
      return std::unexpected(ok.error());
  }
  auto shared = std::make_shared<const KernelOptions>(std::move(options));
  for (KernelSource& source : sources) {
    source.options = shared;
    if (manifest.empty()) continue;
    auto path = canonical_path(source.name);
    if (!path) return fail("{}: {}", source.name, path.error().message);
    if (auto it = manifest.find(path->value_or("")); it != manifest.end())
      source.record = it->second;
  }
  return sources;
}

std::expected<KernelLook, Error> look_for_kernel(const std::string& path) {
  std::array<std::byte, 4096> buffer;
  auto begin = read_begin(path, buffer);
  if (!begin) return std::unexpected(begin.error());
  std::string name = file_name_of(path);
  if (begins_like_kernel(*begin) || (may_wrap_kernel(name) && begins_like_wrapped_kernel(*begin)))
    return KernelLook::Kernel;
  return is_kernel_name(name) ? KernelLook::OnlyByName : KernelLook::Other;
}

KernelIdentity identity_of_path(const std::string& path) {
  fs::path file(path);
  std::string stem = stem_of_btf(file.filename().string());
  if (!version_code(stem)) return {};
  KernelIdentity identity{.release = stem};
  std::string folder = file.parent_path().filename().string();
  if (is_arch_name(folder)) identity.arch = arch_name(folder);
  return identity;
}

}  // namespace bpflink
