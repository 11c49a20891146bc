// A file's contents, mapped read-only.
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <string>

#include "bpflink/error.hpp"

namespace bpflink {

class MappedFile {
 public:
  /// Maps the regular file at `path`. Errors: it cannot be opened or mapped, or
  /// is not a regular file; the message says why, without the path.
  static std::expected<MappedFile, Error> open(const std::string& path);

  /// The same for a file open for reading, which stays the caller's.
  static std::expected<MappedFile, Error> open(int fd);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  /// Valid as long as this object.
  std::span<const std::byte> bytes() const { return bytes_; }

  /// Gives the memory of the pages that lie within `part` back to the system.
  /// They may be read again and then come from the file.
  void release(std::span<const std::byte> part) const;

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace bpflink
