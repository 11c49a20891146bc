#include "linker/kernels/kernel_source.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/facts/linux_release.hpp"
#include "linker/io/bytes.hpp"
#include "linker/io/input_file.hpp"
#include "linker/io/paths.hpp"
#include "linker/kernels/directory_walk.hpp"
#include "linker/kernels/kernel_image.hpp"

namespace bpflink {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

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

constexpr size_t largest_manifest = 64 << 20;

/// Resolves a path in a manifest.
std::string path_in(const std::string& manifest, const std::string& path) {
  return (fs::path(manifest).parent_path() / path).lexically_normal().string();
}

/// The kernels of a manifest that exist, by canonical_path().
using Manifest = std::map<std::string, KernelRecord>;

/// Reads one object of the list and returns its file.
std::expected<std::string, Error> read_record(const Json& object, KernelRecord& record) {
  if (!object.is_object()) return fail("is not an object");
  std::string file;
  const std::array<std::pair<std::string_view, std::string*>, 5> fields = {{
      {"file", &file},
      {"release", &record.identity.release},
      {"arch", &record.identity.arch},
      {"build_id", &record.identity.build_id},
      {"config", &record.config},
  }};
  for (const auto& [key, value] : object.items()) {
    std::string* field = nullptr;
    for (const auto& [name, text] : fields)
      if (name == key) field = text;
    if (field == nullptr) return fail("has the unknown key \"{}\"", key);
    if (!value.is_string()) return fail("\"{}\" is not a string", key);
    *field = value.get<std::string>();
  }
  if (file.empty()) return fail("has no \"file\"");
  record.identity.arch = arch_name(record.identity.arch);
  return file;
}

/// Reads the manifest at `path`. Errors begin with the path.
std::expected<Manifest, Error> read_manifest(const std::string& path) {
  auto file = InputFile::open(path);
  if (!file) return fail_in(path, file.error());
  auto bytes = file->bytes();
  if (bytes.size() > largest_manifest) return fail("{}: is too large for a manifest", path);
  Json list = Json::parse(text_of(bytes), nullptr, false);
  if (!list.is_array()) return fail("{}: is not a list in JSON", path);
  Manifest manifest;
  for (size_t i = 0; i < list.size(); ++i) {
    KernelRecord record;
    auto named = read_record(list[i], record);
    if (!named) return fail("{}: entry {} {}", path, i + 1, named.error().message);
    if (!record.config.empty()) record.config = path_in(path, record.config);
    auto kernel = canonical_path(path_in(path, *named));
    if (!kernel) return fail("{}: {}", *named, kernel.error().message);
    if (*kernel) manifest.insert_or_assign(std::move(**kernel), std::move(record));
  }
  return manifest;
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
    auto read = TRY(read_manifest(options.manifest));
    manifest = std::move(read);
  }
  std::vector<KernelSource> sources;
  for (const std::string& path : paths) {
    auto info = find_file(path);
    if (!info) return fail_in(path, info.error());
    if (!*info) return fail("{}: cannot open: {}", path, std::strerror(ENOENT));
    if (!S_ISDIR((*info)->st_mode))
      sources.push_back({.name = path});
    else
      TRY(add_kernels(sources, path, notes));
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
  auto begin = TRY(read_begin(path, buffer));
  std::string name = file_name_of(path);
  if (begins_like_kernel(begin) || (may_wrap_kernel(name) && begins_like_wrapped_kernel(begin)))
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
