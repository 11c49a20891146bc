// An output file that is written as a whole or not at all.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bpflink/error.hpp"
#include "linker/io/descriptor.hpp"
#include "linker/io/file_identity.hpp"
#include "linker/io/temporaries.hpp"

namespace bpflink {

/// Use: open(), write to fd(), commit(). The file at the path stays until commit() replaces it in
/// one step; without commit() nothing changes. If the path is not a regular file (/dev/stdout, a
/// pipe), commit() writes the bytes to it.
class OutputFile {
 public:
  /// Errors: the directory is missing or not writable; the path is a directory, a file without
  /// write permission, or another user's in a directory with the sticky bit; or another user's
  /// symbolic link in such a directory that all may write to.
  static std::expected<OutputFile, Error> open(const std::string& path);

  /// The same for a descriptor open for writing, which the caller keeps. If it is seekable, the
  /// output replaces its whole contents. Errors: the descriptor is not open.
  static std::expected<OutputFile, Error> open(int fd);

  /// A log, which is written to at its end while the program runs. Errors: as above; nobody reads
  /// the pipe.
  static std::expected<Descriptor, Error> open_to_append(const std::string& path);

  /// A file in memory: commit() does nothing.
  static std::expected<OutputFile, Error> open_in_memory();

  OutputFile(OutputFile&&) noexcept = default;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile() = default;

  /// Open for reading and writing, empty, seekable. Owned by this object.
  int fd() const { return file_.fd(); }

  /// The steps of commit() that are likely to fail, without a change to the path: if several files
  /// belong together, the caller takes them for all before it commits the first. Errors: the bytes
  /// could not all be stored, or the file gets no name.
  std::expected<void, Error> prepare();

  /// Errors: those of prepare(); the file cannot be renamed or written to.
  std::expected<void, Error> commit();

  /// The identity of the file that commit() replaces, creates or writes to; nothing for a device or
  /// memory.
  const std::optional<FileIdentity>& identity() const { return identity_; }

  /// Whether commit() writes the bytes to a target that cannot be replaced.
  bool is_special() const { return special_.is_open(); }

 private:
  OutputFile() = default;
  bool is_in_memory() const { return path_.empty() && !is_special(); }
  static std::expected<OutputFile, Error> open_special(Descriptor target);
  std::expected<void, Error> open_temporary(mode_t mode);
  std::expected<void, Error> name_temporary();
  std::expected<void, Error> commit_special();

  std::string path_;  // symbolic links resolved; "" for none
  std::optional<FileIdentity> identity_;
  std::optional<uid_t> owner_;      // of the file that is replaced
  Descriptor file_;                 // stays open after commit(): it holds the temporary's lock
  Descriptor special_;              // the target if it is not a regular file
  bool replaces_contents_ = false;  // truncates a seekable special target first
  Temporary temporary_;             // the file's name until commit(); removed before the lock is
};

}  // namespace bpflink
