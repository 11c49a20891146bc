#include "linker/kernels/manifest.hpp"

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "linker/error.hpp"
#include "linker/io/directory.hpp"
#include "linker/io/input_file.hpp"
#include "linker/kernels/kernel_image.hpp"
#include "linker/object/bytes.hpp"

namespace bpflink {
namespace {

using Json = nlohmann::json;

constexpr size_t largest_manifest = 64 << 20;

/// Resolves a path in the manifest.
std::string path_in(const std::string& manifest, const std::string& path) {
  return (std::filesystem::path(manifest).parent_path() / path).lexically_normal().string();
}

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

}  // namespace

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

}  // namespace bpflink
