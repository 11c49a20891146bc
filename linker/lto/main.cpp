// The program bpflink-lto, which the linker runs where an input is LLVM bitcode. It loads LLVM,
// which the linker, as a static program and as a library in other programs, cannot; and where LLVM
// aborts, only this program ends. Users do not call it.
//
// Bitcode is an input like others. From when LLVM is loaded on, this process can open no file: LLVM
// would copy lines of whatever file debug information names as the source into the object, and
// assembly in bitcode can include files. It ends when the linker does, and after so much processor
// time and memory.
#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "linker/address_sanitizer.hpp"
#include "linker/error.hpp"
#include "linker/files/bitcode.hpp"
#include "linker/io/descriptor.hpp"
#include "linker/lto/session.hpp"

// LeakSanitizer would open files when this process ends.
extern "C" const char* __asan_default_options() {  // NOLINT(bugprone-reserved-identifier)
  return "detect_leaks=0";
}

namespace bpflink::lto {
namespace {

/// Ends this process when the linker has: its thread, as the kernel says, or all of it, as the pipe
/// does.
void end_with_linker() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  auto wait = [](void*) -> void* {
    char byte;
    if (retry([&] { return ::read(life_descriptor, &byte, sizeof byte); }) == 0) ::_exit(1);
    return nullptr;
  };
  pthread_t thread;
  (void)::pthread_create(&thread, nullptr, wait, nullptr);
}

void lower(int resource, rlim_t value) {
  rlimit limit;
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur <= value) return;
  limit.rlim_cur = value;
  ::setrlimit(resource, &limit);
}

/// Limits what this process may use, and has it open no file any more.
std::expected<void, Error> confine(const LinkOptions& options) {
  std::signal(SIGXCPU, SIG_DFL);
  lower(RLIMIT_CORE, 0);
  const rlim_t memory = rlim_t{options.lto_memory} << 20;
  if (options.lto_timeout != 0) lower(RLIMIT_CPU, options.lto_timeout);
  // AddressSanitizer has terabytes of addresses.
  if (memory != 0 && !has_address_sanitizer) lower(RLIMIT_AS, memory);
  if (memory != 0) lower(RLIMIT_FSIZE, memory);
  const rlimit none{0, 0};
  if (::setrlimit(RLIMIT_NOFILE, &none) != 0) return system_error("no limit for open files");
  return {};
}

std::string_view map(int fd) {
  struct stat info;
  if (::fstat(fd, &info) != 0 || info.st_size == 0) return {};
  auto size = static_cast<size_t>(info.st_size);
  void* bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  return bytes == MAP_FAILED ? "" : std::string_view(static_cast<const char*>(bytes), size);
}

/// The version of the newest LLVM that made a module, 0 if none says, and the module's index.
std::pair<unsigned, size_t> newest_producer(const Request& request) {
  std::pair<unsigned, size_t> newest;
  for (size_t i = 0; i < request.modules.size(); ++i)
    if (unsigned version = version_of_producer(producer_of(bytes_of(request.modules[i].bitcode)));
        version <= newest_possible && version > newest.first)
      newest = {version, i};
  return newest;
}

void set_switches(const Llvm& llvm, const LinkOptions& options) {
  std::vector<const char*> arguments{"bpflink"};
  for (const auto* switches : {&options.lto_switches, &options.lto_checked_switches})
    for (const std::string& text : *switches) arguments.push_back(text.c_str());
  if (arguments.size() > 1)
    llvm.ParseCommandLineOptions(static_cast<int>(arguments.size()), arguments.data(), "");
}

/// LLVM's list of its switches, which it prints and then ends the process.
std::string_view print_switches(const Llvm& llvm) {
  const pid_t child = ::fork();
  if (child == 0) {
    const char* arguments[] = {"bpflink", "--help-hidden"};
    llvm.ParseCommandLineOptions(std::ssize(arguments), arguments, "");
    ::_exit(1);
  }
  retry([&] { return ::waitpid(child, nullptr, 0); });
  return map(STDOUT_FILENO);
}

/// Error: LLVM, which says nothing of it, has not all of the switches.
std::expected<void, Error> check_switches(const Llvm& llvm,
                                          const std::vector<std::string>& switches) {
  const std::string_view known = switches.empty() ? "" : print_switches(llvm);
  for (const std::string& text : switches) {
    std::string_view name = text;
    name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
    name = name.substr(0, name.find('='));
    const std::string listed = fmt::format(" {}{}", name.size() > 1 ? "--" : "-", name);
    if (std::ranges::none_of(std::string_view("= \n["),
                             [&](char end) { return known.contains(listed + end); }))
      return fail("LLVM {} has no switch {} (--llvm-args)", llvm.version, text);
  }
  return {};
}

/// Makes an object of each module that has its symbols and types, and no code.
void outline_each(Session& session) {
  for (session.index = 0; session.index < session.request.modules.size(); ++session.index) {
    session.start();
    LlvmModule module = session.read();
    if (!module) continue;
    LlvmModule outline = mend_debug_info(session, make_outline(session.ir, module));
    session.llvm.DisposeModule(module);
    session.emit(outline, LinkOptions::Emit::Object);
    session.llvm.DisposeModule(outline);
  }
}

/// Optimization names parts and clones of "state.3" "state.3.0" and "state.3.specialized.1".
void answer_with_old_names(const Session& session, LlvmModule optimized) {
  session.ir.for_each_global(optimized, [&](Value value) {
    const std::string name = session.ir.name_of(value);
    for (size_t end = name.size(); end != 0 && end != name.npos; end = name.rfind('.', end - 1))
      if (auto old = session.old_names.find(name.substr(0, end)); old != session.old_names.end())
        return answer(
            {PartKind::Renamed, 0, fmt::format("{}\n{}{}", name, old->second, name.substr(end))});
  });
}

/// Joins the modules, optimizes them as one, and makes the output.
void compile_joined(Session& session) {
  session.start();
  LlvmModule joined = join(session);
  if (joined) joined = optimize(session, joined);
  if (!joined) return;
  joined = mend_debug_info(session, joined);
  if (session.options.lto_save_temps) session.show(PartKind::Optimized, joined);
  answer_with_old_names(session, joined);
  session.emit(joined, session.options.lto_emit);
}

void compile(const Llvm& llvm, const Request& request) {
  Session session(llvm, request);
  if (request.joins)
    compile_joined(session);
  else
    outline_each(session);
}

int run() {
  end_with_linker();
  Request request;
  if (std::string_view input = map(STDIN_FILENO); !decode(request, input)) ::_exit(1);
  const LinkOptions& options = request.options;
  auto [newest, module] = newest_producer(request);
  auto llvm = load_llvm(options.lto_library, options.lto_first_library, newest);
  if (llvm && llvm->version != 0 && llvm->version < newest)
    llvm = fail("{} is of LLVM {}, and LLVM {} made the bitcode", options.lto_library,
                llvm->version, newest);
  if (llvm) answer({PartKind::Library, module, identity_of(llvm->file)});
  if (llvm) set_switches(*llvm, options);
  if (llvm) {
    auto ok = check_switches(*llvm, options.lto_checked_switches);
    if (ok) ok = confine(options);
    if (!ok) llvm = std::unexpected(ok.error());
  }
  if (llvm && llvm->version != 0)
    answer({.kind = PartKind::Release, .bytes = fmt::format("LLVM {}", llvm->version)});
  if (llvm) {
    compile(*llvm, request);
  } else {
    std::string producer = producer_of(bytes_of(request.modules[module].bitcode));
    if (producer.empty()) producer = "an unknown compiler";
    answer({PartKind::Error, module,
            fmt::format("is LLVM bitcode, of {}: {}", producer, llvm.error().message)});
  }
  // Without LLVM's destructors, which take longer than they are worth.
  ::_exit(0);
}

}  // namespace

void answer(const Part& part) {
  std::string bytes;
  encode(part, bytes);
  for (std::string_view rest = bytes; !rest.empty();) {
    ssize_t size = retry([&] { return ::write(answer_descriptor, rest.data(), rest.size()); });
    if (size < 0) ::_exit(1);
    rest.remove_prefix(static_cast<size_t>(size));
  }
}

}  // namespace bpflink::lto

int main(int argc, char**) {
  if (argc > 1 || ::isatty(STDIN_FILENO) != 0) {
    std::fputs("bpflink-lto: compiles LLVM bitcode for bpflink, which runs it itself\n", stderr);
    return 2;
  }
  return bpflink::lto::run();
}
