#include "linker/io/input_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "linker/error.hpp"
#include "linker/io/mapped_inputs.hpp"
#include "linker/io/read_to_end.hpp"
#include "linker/io/retry.hpp"

namespace bpflink {
namespace {

/// Closes a descriptor at the end of a block.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

std::expected<InputFile, Error> InputFile::open(const std::string& path) {
  return open(path, path);
}

std::expected<InputFile, Error> InputFile::open(const std::string& path, std::string name) {
  // O_NONBLOCK: a FIFO without a writer must not hang the link. It counts as empty.
  Descriptor file(retry([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
  if (file.fd() < 0) return system_error("cannot open");
  return open(file.fd(), std::move(name));
}

std::expected<InputFile, Error> InputFile::open(int fd, std::string name) {
  struct stat info;
  if (::fstat(fd, &info) != 0) return system_error("cannot read");
  if (S_ISREG(info.st_mode)) {
    auto file = map(fd, static_cast<size_t>(info.st_size), std::move(name));
    if (file) file->identity_.emplace(info);
    return file;
  }
  if (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode)) return read(fd, std::move(name));
  return fail("{}", S_ISDIR(info.st_mode) ? "is a directory: give the objects in it"
                                          : "is neither a regular file nor a pipe");
}

std::expected<InputFile, Error> InputFile::map(int fd, size_t size, std::string name) {
  // Files that the kernel generates while they are read, such as /proc/kallsyms, seem to be empty.
  if (size == 0) return read(fd, std::move(name));
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  // Or they cannot be mapped, such as /sys/kernel/btf/vmlinux and /proc/config.gz.
  bool is_generated = start == MAP_FAILED && (errno == ENODEV || errno == EIO);
  if (is_generated) return read(fd, std::move(name));
  if (start == MAP_FAILED) return system_error("cannot read");
  InputFile file = in_memory(std::move(name), {static_cast<const std::byte*>(start), size});
  file.unmaps_ = true;  // in case listing it throws
  file.unmaps_ = !list_mapped_input(file.name_, file.bytes_);
  return file;
}

std::expected<InputFile, Error> InputFile::read(int fd, std::string name) {
  auto contents = read_to_end(fd);
  if (!contents) return std::unexpected(contents.error());
  InputFile file = in_memory(std::move(name), *contents);
  file.contents_ = std::move(*contents);
  return file;
}

InputFile InputFile::in_memory(std::string name, std::span<const std::byte> bytes) {
  InputFile file;
  file.name_ = std::move(name);
  file.bytes_ = bytes;
  return file;
}

InputFile InputFile::unpacked(std::shared_ptr<const void> owner, std::string name,
                              std::span<const std::byte> bytes,
                              std::optional<FileIdentity> identity) {
  InputFile file = in_memory(std::move(name), bytes);
  file.identity_ = std::move(identity);
  file.owner_ = std::move(owner);
  return file;
}

InputFile InputFile::part_of(std::shared_ptr<const InputFile> whole, std::string name,
                             std::span<const std::byte> bytes) {
  auto identity = whole->identity_;
  return unpacked(std::move(whole), std::move(name), bytes, std::move(identity));
}

InputFile::InputFile(InputFile&& other) noexcept
    : name_(std::move(other.name_)),
      bytes_(std::exchange(other.bytes_, {})),
      identity_(std::move(other.identity_)),
      unmaps_(std::exchange(other.unmaps_, false)),
      contents_(std::move(other.contents_)),
      owner_(std::move(other.owner_)) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(bytes_, other.bytes_);
  std::swap(identity_, other.identity_);
  std::swap(unmaps_, other.unmaps_);
  std::swap(contents_, other.contents_);
  std::swap(owner_, other.owner_);
  return *this;
}

InputFile::~InputFile() {
  if (unmaps_) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace bpflink
