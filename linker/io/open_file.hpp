// A file that is open for reading.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>

#include "bpflink/error.hpp"

namespace bpflink {

/// Which file it is and when it was written to: differs once that was done again, as far as
/// the clock of the file system tells.
struct FileVersion {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;  ///< bytes
  /// Seconds and nanoseconds since 1970 of the last change of contents, and of anything.
  int64_t modified[2] = {}, changed[2] = {};

  bool operator==(const FileVersion&) const = default;
};

class OpenFile {
 public:
  /// Opens the regular file at `path`. Errors: it cannot be opened, or is not a regular
  /// file; the message says why, without the path.
  static std::expected<OpenFile, Error> open(const std::string& path);

  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&&) = delete;
  ~OpenFile();

  /// Owned by this object.
  int fd() const { return fd_; }
  /// As it was when it was opened.
  const FileVersion& version() const { return version_; }
  size_t size() const { return static_cast<size_t>(version_.size); }

  /// Fills `bytes` with those from `offset` on. Errors: they cannot be read, or are no
  /// longer there.
  std::expected<void, Error> read(uint64_t offset, std::span<std::byte> bytes) const;

 private:
  OpenFile(int fd, const FileVersion& version) : fd_(fd), version_(version) {}

  int fd_;
  FileVersion version_;
};

/// What fstat() tells of a descriptor. Errors: it cannot be told, or is not a regular file.
std::expected<FileVersion, Error> version_of(int fd);

}  // namespace bpflink
