#include "linker/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "linker/alignment.hpp"
#include "linker/retry.hpp"

namespace bpflink {
namespace {

std::unexpected<Error> system_error() {
  return std::unexpected(Error{std::strerror(errno)});
}

void give_back(std::span<const std::byte> pages) {
  if (!pages.empty()) ::madvise(const_cast<std::byte*>(pages.data()), pages.size(), MADV_DONTNEED);
}

/// A file that is open for reading.
struct OpenFile {
  explicit OpenFile(const std::string& path)
      // O_NONBLOCK: a FIFO without a writer must not hang the link.
      : fd(retry([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); })) {}
  ~OpenFile() {
    if (fd >= 0) ::close(fd);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int fd;
};

/// Reads as many bytes as there is room for. Returns whether there were so many.
std::expected<bool, Error> read_whole(int fd, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t count = retry([&] { return ::read(fd, bytes.data(), bytes.size()); });
    if (count < 0) return system_error();
    if (count == 0) return false;
    bytes = bytes.subspan(count);
  }
  return true;
}

}  // namespace

std::expected<MappedFile, Error> MappedFile::open(const std::string& path) {
  OpenFile file(path);
  if (file.fd < 0) return system_error();
  return open(file.fd);
}

std::expected<MappedFile, Error> MappedFile::open(const std::string& path,
                                                  std::vector<std::byte>& copy) {
  constexpr size_t SMALL = 128 << 10;
  OpenFile file(path);
  if (file.fd < 0) return system_error();
  auto mapped = open(file.fd);
  if (!mapped) return mapped;
  copy.resize(mapped->bytes().size() <= SMALL ? mapped->bytes().size() : 0);
  auto whole = read_whole(file.fd, copy);
  if (!whole) return std::unexpected(whole.error());
  if (!*whole) copy.clear();  // it was cut off meanwhile
  return mapped;
}

std::expected<MappedFile, Error> MappedFile::open(int fd) {
  struct stat info;
  if (::fstat(fd, &info) != 0) return system_error();
  if (S_ISDIR(info.st_mode)) return std::unexpected(Error{"is a directory, not an object file"});
  if (!S_ISREG(info.st_mode)) return std::unexpected(Error{"is not a regular file"});
  MappedFile file;
  if (info.st_size == 0) return file;
  void* start = ::mmap(nullptr, info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (start == MAP_FAILED) return system_error();
  file.bytes_ = {static_cast<const std::byte*>(start), static_cast<size_t>(info.st_size)};
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

/// The whole pages that lie within a part.
std::span<const std::byte> MappedFile::pages(std::span<const std::byte> part) const {
  // A page that is not a part of the mapping is somebody's memory.
  bool is_mapped = !part.empty() && part.data() >= bytes_.data() &&
                   part.data() + part.size() <= bytes_.data() + bytes_.size();
  if (!is_mapped) return {};
  // A mapping begins with a page, and the last one of the file is its alone.
  auto page_size = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  size_t begin = align_up(part.data() - bytes_.data(), page_size);
  size_t end = part.data() - bytes_.data() + part.size();
  end = end < bytes_.size() ? end & ~(page_size - 1) : align_up(end, page_size);
  return begin < end ? std::span(bytes_.data() + begin, end - begin) : std::span<const std::byte>();
}

void MappedFile::release(std::span<const std::byte> part) const {
  give_back(pages(part));
}

void ReleaseQueue::add(const MappedFile& file) {
  std::span<const std::byte> pages = file.pages(file.bytes());
  if (pages.empty()) return;
  std::lock_guard lock(mutex_);
  waiting_.push_back(pages);
  if (waiting_.size() == MOST) release_waiting();
}

void ReleaseQueue::flush() {
  std::lock_guard lock(mutex_);
  release_waiting();
}

/// Files that were mapped one after the other mostly lie side by side, and are
/// released as one.
void ReleaseQueue::release_waiting() {
  std::ranges::sort(waiting_, {}, [](std::span<const std::byte> pages) { return pages.data(); });
  std::span<const std::byte> together;
  for (std::span<const std::byte> pages : waiting_) {
    if (together.data() + together.size() == pages.data()) {
      together = {together.data(), together.size() + pages.size()};
    } else {
      give_back(together);
      together = pages;
    }
  }
  give_back(together);
  waiting_.clear();
}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace bpflink
