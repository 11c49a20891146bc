// An output file that is written as a whole or not at all.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bpflink/error.hpp"
#include "linker/io/file_identity.hpp"

namespace bpflink {

/// Use: open(), write to fd(), commit(). What stood at the path stays until
/// commit() replaces it in one step; without commit() nothing has happened. A
/// path that leads to something other than a regular file (/dev/stdout, a pipe)
/// gets its bytes at commit().
class OutputFile {
 public:
  /// Errors: the directory is missing or not writable, the path is a directory, a file without
  /// write permission, or one that the sticky bit of its directory keeps for its owner.
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

  /// Errors: the bytes could not all be stored, or the name not be changed.
  std::expected<void, Error> commit();

  struct CommitFailure {
    size_t index;  ///< of the file
    Error error;
  };
  /// Commits several files, all or none. The last one comes last, whatever it is; pipes and devices
  /// among the others come first, as what they got cannot be taken back. Where a file cannot be
  /// committed, the places of those before it get back what stood there. Returns nothing if all is
  /// well; else why not, and then what could not be put back.
  static std::vector<CommitFailure> commit_all(std::span<OutputFile* const> files);

  /// Which file commit() replaces, makes or writes to; nothing where it is a device or memory.
  const std::optional<FileIdentity>& identity() const { return identity_; }

  /// Whether commit() writes the bytes to something that cannot be replaced.
  bool is_special() const { return special_fd_ >= 0; }

 private:
  OutputFile() = default;
  bool belongs_nowhere() const { return path_.empty() && !is_special(); }
  static std::expected<OutputFile, Error> open_special(int fd);
  std::expected<void, Error> open_temporary();
  std::expected<void, Error> become_like(const struct stat& replaced);
  std::expected<void, Error> prepare();
  std::expected<void, Error> name_temporary();
  std::expected<void, Error> commit_special();
  std::expected<void, Error> exchange();
  std::expected<void, Error> put_back();
  void remove_temporary();

  std::string path_;  // symbolic links resolved; "" where there is none
  std::optional<FileIdentity> identity_;
  // The file's name until commit(); after exchange(), that of what stood at the path. "" while
  // there is no such file.
  std::string temporary_;
  int fd_ = -1;
  int special_fd_ = -1;             // the target where it is not a regular file
  bool replaces_contents_ = false;  // of the special target, where it can be sought
};

}  // namespace bpflink
