#include "linker/kernels/pseudo_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "linker/io/retry.hpp"

namespace bpflink {

std::optional<InputFile> read_pseudo_file(const std::string& path) {
  int fd = retry([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); });
  if (fd < 0) return std::nullopt;
  auto file = InputFile::read(fd, path);
  ::close(fd);
  if (!file) return std::nullopt;
  return std::move(*file);
}

}  // namespace bpflink
