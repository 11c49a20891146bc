// These programs run with the rights of the user, so the places to look for them are those that
// nobody else can write to:
//
// - the one that BPFLINK_LTO or the like names in the environment;
// - beside the file that this code is in, a program or a shared library, and beside the running
//   program; and where an installation has it relative to those, under whatever prefix it is now.
//   A program in a folder of /tmp has /tmp/libexec for such a place, which any user can make. So
//   nobody may be able to change what the path means (find_open_to_others()) but root, the user,
//   and the owner of the file that the search begins at, who could change that one as well;
// - the absolute path that the build says it is installed to.
#include "linker/io/find_program.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "dedup/messages.hpp"
#include "linker/error.hpp"
#include "linker/io/file_rights.hpp"

namespace bpflink {
namespace {

namespace fs = std::filesystem;

/// The file that this code is in, as the kernel knows it: a loader may know the relative path of a
/// working directory of before. "" without /proc.
fs::path own_file() {
  auto here = reinterpret_cast<uintptr_t>(&own_file);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0, end = 0;
    const char* last = line.data() + line.size();
    const char* dash = std::from_chars(line.data(), last, begin, 16).ptr;
    if (dash != last) std::from_chars(dash + 1, last, end, 16);
    if (here < begin || here >= end) continue;
    size_t path = line.find('/');
    return path == line.npos ? fs::path() : fs::path(line.substr(path));
  }
  return {};
}

}  // namespace

std::expected<std::string, Error> find_program(const std::string& name, const char* variable,
                                               std::string_view purpose) {
  if (const char* named = ::secure_getenv(variable); named && *named) {
    if (::access(named, X_OK) == 0) return named;
    return fail("{} needs the program that {} names, {}: {}", purpose, variable, named,
                std::strerror(errno));
  }
  const fs::path installed = fs::path(BPFLINK_LIBEXECDIR) / "bpflink";
  std::string refused;  // why a program that was found is not run
  for (const fs::path& from : {own_file(), fs::path("/proc/self/exe")}) {
    std::error_code error;
    const fs::path file = fs::canonical(from, error);
    struct stat info;
    if (file.empty() || ::stat(file.c_str(), &info) != 0) continue;
    // In the build tree and in an installation
    for (const fs::path& place : {fs::path(), installed.lexically_relative(BPFLINK_BINDIR),
                                  installed.lexically_relative(BPFLINK_LIBDIR)}) {
      const fs::path path = file.parent_path() / place / name;
      const fs::path program = fs::canonical(path, error);
      if (error || ::access(program.c_str(), X_OK) != 0) continue;
      std::string open = find_open_to_others(path.string(), info.st_uid);
      if (open.empty()) return program.string();
      if (refused.empty())
        refused = fmt::format("{} is not run because others may write to {}; {} may name it",
                              path.lexically_normal().string(), open, variable);
    }
  }
  const fs::path program = installed / name;
  if (::access(program.c_str(), X_OK) == 0) return program.string();
  return std::unexpected(Error{
      fmt::format("{} needs the program {}, which is not in {}", purpose, name, installed.string()),
      refused});
}

}  // namespace bpflink
