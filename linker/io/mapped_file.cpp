#include "linker/io/mapped_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "linker/elf/alignment.hpp"

namespace bpflink {
namespace {

void give_back(std::span<const std::byte> pages) {
  if (!pages.empty()) ::madvise(const_cast<std::byte*>(pages.data()), pages.size(), MADV_DONTNEED);
}

}  // namespace

std::expected<MappedFile, Error> MappedFile::open(const std::string& path) {
  auto file = OpenFile::open(path);
  if (!file) return std::unexpected(file.error());
  return open(*file);
}

std::expected<MappedFile, Error> MappedFile::open(int fd) {
  auto version = version_of(fd);
  if (!version) return std::unexpected(version.error());
  return map(fd, version->size);
}

std::expected<MappedFile, Error> MappedFile::open(const OpenFile& file) {
  return map(file.fd(), file.size());
}

std::expected<MappedFile, Error> MappedFile::map(int fd, size_t size) {
  MappedFile file;
  if (size == 0) return file;
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (start == MAP_FAILED) return std::unexpected(Error{std::strerror(errno)});
  file.bytes_ = {static_cast<const std::byte*>(start), size};
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
