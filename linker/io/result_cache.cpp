#include "linker/io/result_cache.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <system_error>
#include <tuple>
#include <vector>

#include "dedup/try.hpp"
#include "linker/io/descriptor.hpp"
#include "linker/io/file_rights.hpp"
#include "linker/io/output_file.hpp"

namespace bpflink {
namespace {

/// Stands before a result: the file is whole, and the result is that of the key which names the
/// file, wherever another name, a link, may have led.
Sha256Digest seal_of(const std::string& path, std::span<const std::byte> result) {
  Sha256 digest;
  digest.add(std::as_bytes(std::span(path).subspan(path.rfind('/') + 1)));
  digest.add(result);
  return digest.finish();
}

bool has_closed_path(const std::string& path) {
  return find_open_to_others(path, ::geteuid()).empty();
}

}  // namespace

void ResultKey::add(std::span<const std::byte> bytes) {
  const uint64_t size = bytes.size();
  digest_.add(std::as_bytes(std::span(&size, 1)));
  digest_.add(bytes);
}

std::string ResultKey::path_in(const std::string& directory) const {
  return directory + "/" + hex_of(Sha256(digest_).finish());
}

std::optional<InputFile> find_result(const std::string& path) {
  if (!has_closed_path(path)) return std::nullopt;
  auto opened = InputFile::open_regular(path);
  if (!opened || opened->bytes().size() < sizeof(Sha256Digest)) return std::nullopt;
  auto whole = std::make_shared<const InputFile>(std::move(*opened));
  auto result = whole->bytes().subspan(sizeof(Sha256Digest));
  if (!std::ranges::equal(whole->bytes().first(sizeof(Sha256Digest)), seal_of(path, result)))
    return std::nullopt;
  return InputFile::part_of(whole, path, result);
}

std::expected<void, Error> store_result(const std::string& path,
                                        std::span<const std::byte> result) {
  // A link that others put there would lead to another file.
  if (!has_closed_path(std::filesystem::path(path).parent_path().string())) return {};
  auto file = TRY(OutputFile::open(path));
  auto ok = write_all(file.fd(), seal_of(path, result));
  if (ok) ok = write_all(file.fd(), result);
  return ok ? file.commit() : ok;
}

void trim_results(const std::string& directory, uint64_t most) {
  namespace fs = std::filesystem;
  if (!has_closed_path(directory)) return;  // a link could lead to another cache
  const size_t length = ResultKey().path_in("").size() - 1;
  std::vector<std::tuple<fs::file_time_type, uint64_t, fs::path>> results;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::error_code gone;  // another link removes some as well
    if (name.size() == length && name.find_first_not_of("0123456789abcdef") == name.npos &&
        at->symlink_status(gone).type() == fs::file_type::regular)
      results.emplace_back(at->last_write_time(gone), at->file_size(gone), at->path());
  }
  std::ranges::sort(results, std::greater());
  for (uint64_t left = most; const auto& [time, size, path] : results) {
    if (size > left) fs::remove(path, error);
    left -= std::min(left, size);
  }
}

}  // namespace bpflink
