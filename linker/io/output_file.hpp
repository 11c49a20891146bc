// A file that comes into being whole or not at all.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "bpflink/error.hpp"
#include "linker/io/file_identity.hpp"

namespace bpflink {

/// Use: open(), write to fd(), commit(). What stood at the path stays until
/// commit() replaces it in one step; without commit() nothing has happened. A
/// path that leads to something other than a regular file (/dev/stdout, a pipe)
/// gets its bytes at commit().
class OutputFile {
 public:
  /// Errors: the directory is missing or not writable, the path is a directory
  /// or a file without write permission.
  static std::expected<OutputFile, Error> open(const std::string& path);

  /// The same for a descriptor open for writing, which stays the caller's. What
  /// can be sought becomes the output from its first byte to its last. Errors: it
  /// is no open descriptor.
  static std::expected<OutputFile, Error> open(int fd);

  /// A file in memory that belongs nowhere: commit() does nothing.
  static std::expected<OutputFile, Error> open_in_memory();

  /// The name that a file for `path` has before commit() where the file system
  /// knows no files without name, and for a moment within commit().
  static std::string first_temporary(const std::string& path);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  /// Open for reading and writing, empty, seekable. Owned by this object.
  int fd() const { return fd_; }

  /// Does of commit() what can fail without changing anything, where that can be
  /// told apart: who commits several files prepares all of them first. Optional.
  /// Errors: those of commit().
  std::expected<void, Error> prepare();

  /// Errors: the bytes could not all be stored, or the name not be changed.
  std::expected<void, Error> commit();

  /// Which file commit() replaces, makes or writes to; nothing where it is a device or memory.
  const std::optional<FileIdentity>& identity() const { return identity_; }

  /// Whether commit() writes the bytes to something that cannot be replaced.
  bool is_special() const { return special_fd_ >= 0; }

 private:
  OutputFile() = default;
  static std::expected<OutputFile, Error> open_special(int fd);
  std::expected<void, Error> open_temporary();
  std::expected<void, Error> become_like(const struct stat& replaced);
  std::expected<void, Error> name_temporary();
  std::expected<void, Error> commit_special();

  std::string path_;  // symbolic links resolved; "" where there is none
  std::optional<FileIdentity> identity_;
  std::string temporary_;  // the file's name until commit(); "" while it has none
  int fd_ = -1;
  int special_fd_ = -1;             // the target where it is not a regular file
  bool replaces_contents_ = false;  // of the special target, where it can be sought
};

}  // namespace bpflink
