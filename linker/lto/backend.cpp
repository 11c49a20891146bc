// Runs bpflink-lto on files in memory, under limits of time and memory, and says in words how it
// ended if it crashed.
#include "linker/lto/backend.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstring>
#include <iterator>
#include <tuple>

#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/io/descriptor.hpp"
#include "linker/io/find_program.hpp"
#include "linker/io/paths.hpp"
#include "linker/io/result_cache.hpp"

namespace bpflink::lto {
namespace {

constexpr const char *program_name = "bpflink-lto", *variable = "BPFLINK_LTO";

/// A descriptor whose number the program does not get.
Descriptor above_last(int fd) {
  Descriptor given(fd);
  if (fd < 0 || fd > last_descriptor) return given;
  return Descriptor(::fcntl(fd, F_DUPFD_CLOEXEC, last_descriptor + 1));
}

Descriptor open_in_memory() {
  return above_last(::memfd_create(program_name, MFD_CLOEXEC));
}

/// The environment. The libraries that LD_LIBRARY_PATH leads to are not looked through for LLVM.
std::vector<char*> environment_for(const Request& request) {
  std::vector<char*> variables;
  for (char** next = environ; next && *next; ++next)
    if (!request.options.lto_library.empty() ||
        !std::string_view(*next).starts_with("LD_LIBRARY_PATH="))
      variables.push_back(*next);
  variables.push_back(nullptr);
  return variables;
}

/// Starts the program; descriptors[n] is its descriptor n.
std::expected<pid_t, Error> start(const std::string& program, const Request& request,
                                  const std::array<int, last_descriptor + 1>& descriptors) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (int to = 0; int from : descriptors) ::posix_spawn_file_actions_adddup2(&actions, from, to++);
  std::string argument = program;
  char* const arguments[] = {argument.data(), nullptr};
  auto environment = environment_for(request);
  pid_t pid = -1;
  int status =
      ::posix_spawn(&pid, program.c_str(), &actions, nullptr, arguments, environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (status != 0)
    return fail("cannot run {}: {}; {} names another one", program, std::strerror(status),
                variable);
  return pid;
}

/// Whether a limit is the user's: it is one, and below the one that this process is under.
bool is_limit_of_user(int resource, uint64_t value) {
  rlimit now;
  return value != 0 && ::getrlimit(resource, &now) == 0 && value < now.rlim_cur;
}

/// Sets the limits that the options leave to the size of the bitcode.
void limit(Request& request) {
  uint64_t kib = 0;
  for (const Module& module : request.modules) kib += module.bitcode.size() >> 10;
  LinkOptions& options = request.options;
  auto set = [](unsigned& value, uint64_t by_size, unsigned most) {
    if (value == LinkOptions::by_size)
      value = static_cast<unsigned>(std::min<uint64_t>(by_size, most));
  };
  set(options.lto_timeout, 8 + kib / 8, 300);
  set(options.lto_memory, 1000 + kib, 4096);
}

/// What LLVM last printed in words, or how its process ended.
std::string describe_crash(const LinkOptions& options, std::string_view text,
                           std::string_view release, int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU &&
      is_limit_of_user(RLIMIT_CPU, options.lto_timeout))
    return fmt::format(
        "LLVM has not finished after {} of processor time: --lto-timeout allows more",
        count_of(options.lto_timeout, "second"));
  if ((text.contains("out of memory") || text.contains("bad_alloc")) &&
      is_limit_of_user(RLIMIT_AS, uint64_t{options.lto_memory} << 20))
    return fmt::format("LLVM needs more than {} MiB of memory: --lto-memory allows more",
                       options.lto_memory);
  constexpr std::string_view fatal = "LLVM ERROR: ";
  if (size_t at = text.find(fatal); at != text.npos) {
    text.remove_prefix(at + fatal.size());
    return fmt::format("LLVM gave up: {}", text.substr(0, text.find('\n')));
  }
  if (WIFSIGNALED(status)) {
    constexpr int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    bool is_fault = std::ranges::find(faults, WTERMSIG(status)) != std::end(faults);
    return fmt::format("{} crashed: {}{}", release.empty() ? "LLVM" : release,
                       ::strsignal(WTERMSIG(status)),
                       is_fault ? "; --lto-library chooses another one" : "");
  }
  return fmt::format("{} ended with status {}", program_name, WEXITSTATUS(status));
}

Reply decode_reply(InputFile file, const Request& request) {
  Reply reply{.file = std::move(file), .parts = {}, .crash = {}};
  std::string_view rest = text_of(reply.file.bytes());
  for (Part part{}; decode(part, rest);)
    if (part.module < request.modules.size()) reply.parts.push_back(part);
  return reply;
}

/// Whether LLVM is still the one that made the reply, and it had no errors.
bool is_lasting(const Reply& reply) {
  std::string_view library = reply.find(PartKind::Library);
  return reply.find(PartKind::Error).empty() && reply.crash.empty() && !library.empty() &&
         library == identity_of(std::string(library.substr(0, library.find('\n'))));
}

/// Moves the place out of the text, "b.c:3:5: in function f: ...", and with it nodes of LLVM's,
/// which have addresses: "in function f i32 (ptr): 0x55e0: i64 = ..., b.c:3:5 too many arguments".
DiagnosticLocation take_place(std::string& message) {
  DiagnosticLocation location;
  for (size_t at = 0; (at = message.find(':', at) + 1) != 0;) {
    const char* end = message.data() + message.size();
    uint32_t line = 0, column = 0;
    auto read = std::from_chars(message.data() + at, end, line);
    if (read.ec != std::errc() || read.ptr == end || *read.ptr != ':') continue;
    read = std::from_chars(read.ptr + 1, end, column);
    if (read.ec != std::errc()) continue;
    size_t begin = message.rfind(' ', at - 1) + 1, node = std::min(message.find("0x"), begin);
    if (begin != 0 && node == begin) break;
    location = {.source = path_from_here(message.substr(begin, at - 1 - begin)),
                .line = line,
                .column = column};
    auto behind = static_cast<size_t>(read.ptr - message.data());
    behind = std::min(message.find_first_not_of(": ", behind), message.size());
    message.erase(node, behind - node);
    at = 0;
  }
  return location;
}

/// The name in "in function many i64 (i64): ..." or "in function f: ...", or "".
std::string_view function_in(std::string_view message) {
  constexpr std::string_view words = "in function ";
  size_t at = message.find(words);
  if (at == message.npos) return {};
  message.remove_prefix(at + words.size());
  return message.substr(0, message.find_first_of(" :,"));
}

}  // namespace

std::expected<std::string, Error> find_backend() {
  return find_program(program_name, variable, "LLVM bitcode");
}

std::expected<Reply, Error> run_backend(Request request) {
  limit(request);
  const LinkOptions& options = request.options;
  auto program = TRY(find_backend());
  std::string bytes;
  encode(request, bytes);
  std::string cached_at;
  if (!options.lto_cache.empty()) {
    ResultKey key;
    key.add(bytes_of(bytes));
    // The cache of the loader tells whether libraries of LLVM have come or gone.
    for (const std::string& file :
         {program, options.lto_library, options.lto_first_library, std::string("/etc/ld.so.cache")})
      key.add(bytes_of(identity_of(file)));
    cached_at = key.path_in(options.lto_cache);
    if (auto file = find_result(cached_at))
      if (Reply reply = decode_reply(std::move(*file), request); is_lasting(reply)) return reply;
  }
  Descriptor in = open_in_memory(), out = open_in_memory(), errors = open_in_memory();
  if (!in.is_open() || !out.is_open() || !errors.is_open())
    return system_error("no file in memory");
  TRY(write_all(in.fd(), bytes_of(bytes)));
  ::lseek(in.fd(), 0, SEEK_SET);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("no pipe");
  // However this process ends, the pipe does, and with it the program.
  Descriptor watched = above_last(ends[0]), held = above_last(ends[1]);
  if (!watched.is_open() || !held.is_open()) return system_error("no pipe");
  auto pid =
      TRY(start(program, request, {in.fd(), errors.fd(), errors.fd(), out.fd(), watched.fd()}));
  int status = 0;
  // In a process that ignores SIGCHLD, there is no status: the answer then has to tell.
  bool is_known = retry([&] { return ::waitpid(pid, &status, 0); }) >= 0;
  auto file = TRY(InputFile::open(out.fd(), program_name));
  Reply reply = decode_reply(std::move(file), request);
  if (is_known && WIFEXITED(status) && reply.parts.empty())
    return fail("{} is no {}: it gives no answer; {} names another one", program, program_name,
                variable);
  auto printed = InputFile::open(errors.fd(), program_name);
  std::string_view text = printed ? text_of(printed->bytes()) : "";
  if (is_known && status != 0)
    reply.crash = describe_crash(options, text, reply.find(PartKind::Release), status);
  if (!options.lto_cpu.empty() && text.contains("is not a recognized processor"))
    return fail("LLVM does not know the processor {} (--lto-cpu)", options.lto_cpu);
  if (!options.lto_features.empty() && text.contains("is not a recognized feature"))
    return fail("LLVM does not know all processor features in {} (--cpu-features)",
                options.lto_features);
  // What cannot be kept is made again.
  if (!cached_at.empty() && is_lasting(reply)) {
    std::ignore = store_result(cached_at, reply.file.bytes());
    trim_results(options.lto_cache, uint64_t{options.lto_cache_size} << 20);
  }
  return reply;
}

Diagnostic to_diagnostic(const Request& request, const Part& part,
                         const FindFunction& find_function) {
  std::string message(part.bytes.substr(0, part.bytes.find_last_not_of('\n') + 1));
  // Below a message on assembly are its line and a mark.
  if (message.starts_with("<inline asm>"))
    message.resize(std::min(message.find('\n'), message.size()));
  if (message.contains("Could not find inc")) message += ": assembly in bitcode cannot read files";
  DiagnosticLocation place = take_place(message);
  std::string_view function_name = function_in(message);
  DiagnosticLocation function =
      function_name.empty() || !find_function ? DiagnosticLocation{} : find_function(function_name);
  if (place.line == 0) place = function;
  std::string name(function.object.empty() ? request.modules[part.module].name : function.object);
  place.object = name;
  Diagnostic diagnostic{
      .severity = part.kind == PartKind::Warning ? Severity::Warning : Severity::Error,
      .message = fmt::format("{}: {}", name, message),
      .code = DiagnosticCode::InvalidInput,
      .file = name};
  if (place.line != 0)
    diagnostic.references.push_back({ReferenceRole::Subject, std::move(place), {}, 0});
  return diagnostic;
}

}  // namespace bpflink::lto
