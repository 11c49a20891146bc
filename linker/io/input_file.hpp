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

/// One input, from when it is opened until the work is over. Its life is the same for both
/// programs, whatever its size and however many there are:
///
/// - A file is mapped, read-only, and its descriptor closed: there may be more inputs than a
///   process may have open files. What cannot be mapped, a pipe or a socket, is read to its end
///   instead.
///   What is in the caller's memory stays there.
/// - It is checked, and read where it lies from then on: names, contents and types are views of
///   these bytes. Nothing is copied and nothing read twice.
/// - It is unmapped when this object goes, at the end of the link or of the deduplication; in
///   the programs when the process ends (see mapped_inputs.hpp).
///
/// A file must not change as long as it is mapped. If it is cut off, what lies behind its new
/// end is gone, and a process that looks there gets the signal SIGBUS.
class InputFile {
 public:
  /// Opens the file or pipe at `path`. Errors: it cannot be opened, mapped or read, or is
  /// neither a regular file nor a pipe; the message says why, without the path.
  static std::expected<InputFile, Error> open(const std::string& path);
  /// The same, called `name` in messages.
  static std::expected<InputFile, Error> open(const std::string& path, std::string name);
  /// The same for a descriptor, which stays the caller's. A file is mapped as a whole, wherever
  /// the descriptor stands, which does not change; of a pipe what is left is read.
  static std::expected<InputFile, Error> open(int fd, std::string name);
  /// Reads what is left of any descriptor from where it stands.
  static std::expected<InputFile, Error> read(int fd, std::string name);
  /// An input whose bytes are in memory, which must outlive it.
  static InputFile in_memory(std::string name, std::span<const std::byte> bytes);
  /// An input whose bytes are some of those of `whole`, which it keeps open.
  static InputFile part_of(std::shared_ptr<const InputFile> whole, std::string name,
                           std::span<const std::byte> bytes);

  InputFile() = default;
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  ~InputFile();

  const std::string& name() const { return name_; }
  /// Valid as long as this object or the one that it is moved to.
  std::span<const std::byte> bytes() const { return bytes_; }
  /// Which file it is; nothing where it is none, but a pipe or memory.
  const std::optional<FileIdentity>& identity() const { return identity_; }

 private:
  static std::expected<InputFile, Error> map(int fd, size_t size, std::string name);

  std::string name_;
  std::span<const std::byte> bytes_;
  std::optional<FileIdentity> identity_;
  bool unmaps_ = false;                     ///< when it goes
  std::vector<std::byte> contents_;         ///< of what was read rather than mapped
  std::shared_ptr<const InputFile> whole_;  ///< what it is a part of, or null
};

}  // namespace bpflink
