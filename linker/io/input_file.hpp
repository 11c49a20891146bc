// The bytes of an input, from a file, a pipe or memory.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bpflink/error.hpp"
#include "linker/io/file_identity.hpp"

namespace bpflink {

struct MappedInput;

/// One input, from opening it to the end of the work:
///
/// - A file is mapped read-only, and its descriptor closed: there may be more inputs than a process
///   may have open files. A pipe or socket cannot be mapped and is read to its end. Bytes in the
///   caller's memory stay there.
/// - It is checked, then read in place: names, contents and types are views of these bytes.
///   Nothing is copied and nothing read twice.
/// - It is unmapped with this object, at the end of the link or of the deduplication; in most
///   programs, when the process ends (see mapped_inputs.hpp).
///
/// A file must not change while it is mapped. If it is truncated, a process that reads beyond the
/// new end gets the signal SIGBUS.
class InputFile {
 public:
  /// Opens the file or pipe at `path`. Errors: it cannot be opened, mapped or read, or is neither a
  /// regular file nor a pipe; the message gives the reason, without the path.
  static std::expected<InputFile, Error> open(const std::string& path);
  /// The same, with the name for messages.
  static std::expected<InputFile, Error> open(const std::string& path, std::string name);
  /// Opens a file that the user has not named: one in a directory or archive. Only a regular file
  /// is opened, and only as much read as it has bytes: /proc has files that seem to be empty and
  /// never end. Errors: as above; it is anything else.
  static std::expected<InputFile, Error> open_regular(const std::string& path, std::string name);
  static std::expected<InputFile, Error> open_regular(const std::string& path) {
    return open_regular(path, path);
  }
  /// The same for a descriptor, which the caller keeps. A file is mapped as a whole, and its
  /// position does not change; a pipe is read from its position to its end.
  static std::expected<InputFile, Error> open(int fd, std::string name);
  /// Reads any descriptor from its position to its end.
  static std::expected<InputFile, Error> read(int fd, std::string name);
  /// An input whose bytes are in memory, which must outlive it.
  static InputFile in_memory(std::string name, std::span<const std::byte> bytes);
  /// An input whose bytes `owner` keeps: what was unpacked from the file of that identity.
  static InputFile unpacked(std::shared_ptr<const void> owner, std::string name,
                            std::span<const std::byte> bytes, std::optional<FileIdentity> identity);
  /// An input that is a part of `whole`, which it keeps open.
  static InputFile part_of(std::shared_ptr<const InputFile> whole, std::string name,
                           std::span<const std::byte> bytes);

  InputFile() = default;
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  ~InputFile();

  const std::string& name() const { return name_; }
  /// Valid as long as this object, or the one that it is moved to, exists.
  std::span<const std::byte> bytes() const { return bytes_; }
  /// The identity of the file; nothing for a pipe or memory.
  const std::optional<FileIdentity>& identity() const { return identity_; }

 private:
  static std::expected<InputFile, Error> map(int fd, const struct stat& info, std::string name);

  std::string name_;
  std::span<const std::byte> bytes_;
  std::optional<FileIdentity> identity_;
  bool unmaps_ = false;                ///< whether the destructor unmaps bytes_
  MappedInput* listed_ = nullptr;      ///< then: its entry in the list, or null
  std::vector<std::byte> contents_;    ///< the bytes of an input that was read, not mapped
  std::shared_ptr<const void> owner_;  ///< what else keeps the bytes, or null
};

/// Those files that have an identity, for Outputs::check().
template <typename Files>
std::vector<NamedFile> named_files(const Files& files) {
  std::vector<NamedFile> named;
  for (const InputFile& file : files)
    if (file.identity()) named.push_back({file.name(), *file.identity()});
  return named;
}

}  // namespace bpflink
