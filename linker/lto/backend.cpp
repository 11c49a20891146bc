#include "linker/lto/backend.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "linker/error.hpp"
#include "linker/io/retry.hpp"
#include "linker/io/write_all.hpp"
#include "linker/lto/find_program.hpp"

namespace bpflink::lto {
namespace {

constexpr const char* program_name = "bpflink-lto";

/// A file in memory, which closes with this object.
class MemoryFile {
 public:
  MemoryFile() : fd_(::memfd_create(program_name, MFD_CLOEXEC)) {}
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

std::expected<pid_t, Error> start(const std::string& program, int in, int out, int errors) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  int descriptor = 0;
  for (int from : {in, out, errors})
    ::posix_spawn_file_actions_adddup2(&actions, from, descriptor++);
  std::string argument = program;
  char* const arguments[] = {argument.data(), nullptr};
  pid_t pid = -1;
  int status = ::posix_spawn(&pid, program.c_str(), &actions, nullptr, arguments, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (status != 0) return fail("cannot run {}: {}", program, std::strerror(status));
  return pid;
}

/// What LLVM last printed in words, or how its process ended.
std::string describe_crash(int errors, int status) {
  ::lseek(errors, 0, SEEK_SET);
  auto printed = InputFile::read(errors, program_name);
  std::string_view text;
  if (printed)
    text = {reinterpret_cast<const char*>(printed->bytes().data()), printed->bytes().size()};
  constexpr std::string_view fatal = "LLVM ERROR: ";
  if (size_t at = text.find(fatal); at != text.npos) {
    text.remove_prefix(at + fatal.size());
    return fmt::format("LLVM gave up: {}", text.substr(0, text.find('\n')));
  }
  if (WIFSIGNALED(status)) return fmt::format("LLVM crashed: {}", ::strsignal(WTERMSIG(status)));
  return fmt::format("{} ended with status {}", program_name, WEXITSTATUS(status));
}

}  // namespace

std::expected<Reply, Error> run_backend(const Request& request) {
  auto program = find_program();
  if (!program) return std::unexpected(program.error());
  MemoryFile in, out, errors;
  if (in.fd() < 0 || out.fd() < 0 || errors.fd() < 0) return system_error("no file in memory");
  std::string bytes = encode(request);
  if (auto ok = write_all(in.fd(), std::as_bytes(std::span(bytes))); !ok)
    return std::unexpected(ok.error());
  ::lseek(in.fd(), 0, SEEK_SET);
  auto pid = start(*program, in.fd(), out.fd(), errors.fd());
  if (!pid) return std::unexpected(pid.error());
  int status = 0;
  // In a process that ignores SIGCHLD, there is no status: the answer then has to tell.
  bool is_known = retry([&] { return ::waitpid(*pid, &status, 0); }) >= 0;
  auto file = InputFile::open(out.fd(), program_name);
  if (!file) return std::unexpected(file.error());
  Reply reply{.file = std::move(*file), .parts = {}, .crash = {}};
  auto answer = reply.file.bytes();
  Reader reader({reinterpret_cast<const char*>(answer.data()), answer.size()});
  while (auto part = decode_part(reader)) reply.parts.push_back(*part);
  if (is_known && status != 0) reply.crash = describe_crash(errors.fd(), status);
  return reply;
}

}  // namespace bpflink::lto
