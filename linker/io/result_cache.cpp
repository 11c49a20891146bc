#include "linker/io/result_cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <filesystem>

#include "linker/io/file_rights.hpp"
#include "linker/io/output_file.hpp"
#include "linker/io/write_all.hpp"

namespace bpflink {
namespace {

/// Stands before a result, so that the file is known to be whole.
using Seal = std::array<std::byte, sizeof(XXH128_canonical_t)>;

Seal seal_of(std::span<const std::byte> result) {
  XXH128_canonical_t seal;
  XXH128_canonicalFromHash(&seal, XXH3_128bits(result.data(), result.size()));
  return std::bit_cast<Seal>(seal);
}

/// The path from the root of a file or directory that nobody else may change; "" if there is none.
std::string find_own(const std::filesystem::path& path) {
  std::error_code error;
  const std::string file = std::filesystem::canonical(path, error).string();
  return !error && find_open_to_others(file, ::geteuid()).empty() ? file : "";
}

}  // namespace

void ResultKey::add(std::span<const std::byte> bytes) {
  uint64_t size = bytes.size();
  XXH3_128bits_update(&digest_, &size, sizeof size);
  XXH3_128bits_update(&digest_, bytes.data(), bytes.size());
}

std::string ResultKey::path_in(const std::string& directory) const {
  XXH128_hash_t hash = XXH3_128bits_digest(&digest_);
  return fmt::format("{}/{:016x}{:016x}", directory, hash.high64, hash.low64);
}

std::optional<InputFile> find_result(const std::string& path) {
  const std::string file = find_own(path);
  if (file.empty()) return std::nullopt;
  auto opened = InputFile::open_regular(file, path);
  if (!opened || opened->bytes().size() < sizeof(Seal)) return std::nullopt;
  auto whole = std::make_shared<const InputFile>(std::move(*opened));
  auto result = whole->bytes().subspan(sizeof(Seal));
  if (!std::ranges::equal(whole->bytes().first(sizeof(Seal)), seal_of(result))) return std::nullopt;
  return InputFile::part_of(whole, path, result);
}

std::expected<void, Error> store_result(const std::string& path,
                                        std::span<const std::byte> result) {
  // A link that others put there would lead to another file.
  if (find_own(std::filesystem::path(path).parent_path()).empty()) return {};
  auto file = OutputFile::open(path);
  if (!file) return std::unexpected(file.error());
  auto ok = write_all(file->fd(), seal_of(result));
  if (ok) ok = write_all(file->fd(), result);
  return ok ? file->commit() : ok;
}

}  // namespace bpflink
