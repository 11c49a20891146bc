// Results of work that takes long, in files of a directory, by all that they depend on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>

#include "bpflink/error.hpp"
#include "linker/io/input_file.hpp"
#include "linker/io/sha256.hpp"

namespace bpflink {

/// What a result depends on. Its file is named after the digest of that: whoever writes the inputs
/// cannot make two that have one.
class ResultKey {
 public:
  void add(std::span<const std::byte> bytes);
  /// The path of the result's file in a directory.
  std::string path_in(const std::string& directory) const;

 private:
  Sha256 digest_;
};

/// The result at a path of path_in(); nothing if there is none, it is not whole or that of another
/// key, or others can change what the path means.
std::optional<InputFile> find_result(const std::string& path);

/// Writes a result, as a whole or not at all, and not where others may write. Errors: the file
/// cannot be written.
std::expected<void, Error> store_result(const std::string& path, std::span<const std::byte> result);

/// Removes the oldest results of a directory, until the others have `most` bytes at most.
void trim_results(const std::string& directory, uint64_t most);

}  // namespace bpflink
