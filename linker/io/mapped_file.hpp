// A file's contents, mapped read-only.
#pragma once

#include <cstddef>
#include <expected>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "bpflink/error.hpp"
#include "linker/io/open_file.hpp"

namespace bpflink {

class MappedFile {
 public:
  /// Maps the regular file at `path`. Errors: it cannot be opened or mapped, or
  /// is not a regular file; the message says why, without the path.
  static std::expected<MappedFile, Error> open(const std::string& path);

  /// The same for a file open for reading, which stays the caller's.
  static std::expected<MappedFile, Error> open(int fd);
  static std::expected<MappedFile, Error> open(const OpenFile& file);

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
  friend class ReleaseQueue;
  static std::expected<MappedFile, Error> map(int fd, size_t size);
  std::span<const std::byte> pages(std::span<const std::byte> part) const;

  std::span<const std::byte> bytes_;
};

/// Gives the memory of many small files back, several at a time: each time all
/// processors that run the program's threads are interrupted. Threads may share
/// one. The files must stay mapped until flush().
class ReleaseQueue {
 public:
  ReleaseQueue() { waiting_.reserve(MOST); }
  ReleaseQueue(const ReleaseQueue&) = delete;
  ReleaseQueue& operator=(const ReleaseQueue&) = delete;
  ~ReleaseQueue() { flush(); }

  /// As file.release(file.bytes()), now or later.
  void add(const MappedFile& file);
  void flush();

 private:
  static constexpr size_t MOST = 12;

  void release_waiting();

  std::mutex mutex_;
  std::vector<std::span<const std::byte>> waiting_;  ///< pages
};

}  // namespace bpflink
