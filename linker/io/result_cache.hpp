// Results of work that takes long, in files of a directory, by all that they depend on.
#pragma once

#include <xxhash.h>

#include <cstddef>
#include <expected>
#include <optional>
#include <span>
#include <string>

#include "bpflink/error.hpp"
#include "linker/io/input_file.hpp"

namespace bpflink {

/// What a result depends on. Its file has the name of that.
class ResultKey {
 public:
  ResultKey() { XXH3_128bits_reset(&digest_); }
  void add(std::span<const std::byte> bytes);
  /// The path of the result's file in a directory.
  std::string path_in(const std::string& directory) const;

 private:
  XXH3_state_t digest_;
};

/// The result at a path; nothing if there is none, it is not whole, or others may write to it.
std::optional<InputFile> find_result(const std::string& path);

/// Writes a result, as a whole or not at all, and not where others may write. Errors: the file
/// cannot be written.
std::expected<void, Error> store_result(const std::string& path, std::span<const std::byte> result);

}  // namespace bpflink
