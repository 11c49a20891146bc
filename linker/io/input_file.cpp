#include "linker/io/input_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "dedup/try.hpp"
#include "linker/address_sanitizer.hpp"
#include "linker/error.hpp"
#include "linker/io/descriptor.hpp"
#include "linker/io/mapped_inputs.hpp"

// AddressSanitizer's, where the program has it
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" void __asan_poison_memory_region(const volatile void* begin, size_t size);
extern "C" void __asan_unpoison_memory_region(const volatile void* begin, size_t size);
// NOLINTEND(bugprone-reserved-identifier)

namespace bpflink {
namespace {

/// O_NONBLOCK: a FIFO without a writer must not hang the link. It counts as empty.
Descriptor open_to_read(const std::string& path) {
  constexpr int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  return Descriptor(retry([&] { return ::open(path.c_str(), flags); }));
}

/// Lets AddressSanitizer report what is read behind a mapped file, in the rest of its last page;
/// or, with `may_be_read`, ends that before the pages get another use.
void guard_rest_of_page(std::span<const std::byte> file, bool may_be_read) {
  if constexpr (has_address_sanitizer) {
    constexpr size_t page = 4096;
    size_t rest = (page - file.size() % page) % page;
    if (may_be_read)
      __asan_unpoison_memory_region(file.data() + file.size(), rest);
    else
      __asan_poison_memory_region(file.data() + file.size(), rest);
  }
}

}  // namespace

std::expected<InputFile, Error> InputFile::open(const std::string& path) {
  return open(path, path);
}

std::expected<InputFile, Error> InputFile::open(const std::string& path, std::string name) {
  Descriptor file = open_to_read(path);
  if (!file.is_open()) return system_error("cannot open");
  return open(file.fd(), std::move(name));
}

std::expected<InputFile, Error> InputFile::open_regular(const std::string& path, std::string name) {
  // A device may do something when it is opened.
  struct stat info;
  if (::stat(path.c_str(), &info) != 0) return system_error("cannot open");
  if (!S_ISREG(info.st_mode)) return fail("is not a regular file");
  Descriptor file = open_to_read(path);
  if (!file.is_open()) return system_error("cannot open");
  if (::fstat(file.fd(), &info) != 0) return system_error("cannot read");
  if (!S_ISREG(info.st_mode)) return fail("is not a regular file");
  if (info.st_size == 0) {
    InputFile empty = in_memory(std::move(name), {});
    empty.identity_.emplace(info);
    return empty;
  }
  return map(file.fd(), info, std::move(name));
}

std::expected<InputFile, Error> InputFile::open(int fd, std::string name) {
  struct stat info;
  if (::fstat(fd, &info) != 0) return system_error("cannot read");
  // Files that the kernel generates while they are read, such as /proc/kallsyms, seem to be empty.
  if (S_ISREG(info.st_mode) && info.st_size != 0) return map(fd, info, std::move(name));
  if (S_ISREG(info.st_mode) || S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode)) {
    auto file = read(fd, std::move(name));
    if (file && S_ISREG(info.st_mode)) file->identity_.emplace(info);
    return file;
  }
  return fail("{}", S_ISDIR(info.st_mode) ? "is a directory: give the objects in it"
                                          : "is neither a regular file nor a pipe");
}

std::expected<InputFile, Error> InputFile::map(int fd, const struct stat& info, std::string name) {
  auto size = static_cast<size_t>(info.st_size);
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  InputFile file;
  if (start != MAP_FAILED) {
    file = in_memory(std::move(name), {static_cast<const std::byte*>(start), size});
    file.unmaps_ = true;  // in case listing it throws
    guard_rest_of_page(file.bytes_, false);
    file.listed_ = list_mapped_input(file.name_, file.bytes_);
    file.unmaps_ = !are_inputs_kept();
  } else if (errno == ENODEV || errno == EIO) {
    // The kernel generates it, such as /sys/kernel/btf/vmlinux and /proc/config.gz; but not what is
    // as large as an address space, such as /proc/kcore.
    constexpr size_t max_generated = size_t{1} << 30;
    if (size > max_generated) return fail("cannot be mapped, and is too large to be read");
    auto contents = TRY(read_to_end(fd, size));
    file = in_memory(std::move(name), contents);
    file.contents_ = std::move(contents);
  } else {
    return system_error("cannot read");
  }
  file.identity_.emplace(info);
  return file;
}

std::expected<InputFile, Error> InputFile::read(int fd, std::string name) {
  auto contents = TRY(read_to_end(fd));
  InputFile file = in_memory(std::move(name), contents);
  file.contents_ = std::move(contents);
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
      listed_(std::exchange(other.listed_, nullptr)),
      contents_(std::move(other.contents_)),
      owner_(std::move(other.owner_)) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(bytes_, other.bytes_);
  std::swap(identity_, other.identity_);
  std::swap(unmaps_, other.unmaps_);
  std::swap(listed_, other.listed_);
  std::swap(contents_, other.contents_);
  std::swap(owner_, other.owner_);
  return *this;
}

InputFile::~InputFile() {
  if (!unmaps_) return;
  unlist_mapped_input(listed_);
  guard_rest_of_page(bytes_, true);
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace bpflink
