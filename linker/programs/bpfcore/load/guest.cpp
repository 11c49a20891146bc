#include "linker/programs/bpfcore/load/guest.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <vector>

#include "linker/error.hpp"
#include "linker/io/descriptor.hpp"
#include "linker/io/retry.hpp"

namespace bpflink {
namespace {

// A slow host delays the timer that x86 otherwise checks, and panics for. arm64's authentication of
// pointers takes half of the time, unless it is made simple.
constexpr Machine machines[] = {
    {"x86_64", "qemu-system-x86_64 -machine pc", "max",
     "console=ttyS0 earlyprintk=ttyS0 no_timer_check reboot=t panic=-1",
     "CONFIG_SERIAL_8250_CONSOLE"},
    {"arm64", "qemu-system-aarch64 -machine virt", "max,pauth-impdef=on",
     "console=ttyAMA0 earlyprintk=ttyAMA0 reboot=t panic=-1", "CONFIG_SERIAL_AMBA_PL011_CONSOLE"}};

/// False once KVM has not run a kernel: on a virtual machine, /dev/kvm may be there for others.
std::atomic<bool> trusts_kvm = true;

/// A process that ends with this object, and with the thread that started it.
class Process {
 public:
  /// Runs the words of a command, and its last one, which may have spaces. Standard output and
  /// error are `output`; it has the descriptors `kept` besides.
  Process(std::string words, std::string last, int output, std::array<int, 2> kept) {
    std::vector<char*> pointers;
    for (char* rest = words.data(); char* word = ::strtok_r(rest, " ", &rest);)
      pointers.push_back(word);
    pointers.insert(pointers.end(), {last.data(), nullptr});
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ != 0) return;
    // Only calls that are async-signal-safe: this process may have threads.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    for (int fd : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(output, fd);
    for (int fd : kept) ::fcntl(fd, F_SETFD, 0);
    ::execvp(pointers[0], pointers.data());
    ::_exit(exit_not_found);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() { end(); }

  /// Whether the program was not there.
  bool end() {
    int status = 0;
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      retry([&] { return ::waitpid(pid_, &status, 0); });
    }
    bool is_missing = pid_ < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == exit_not_found);
    pid_ = 0;
    return is_missing;
  }

 private:
  static constexpr int exit_not_found = 127;
  pid_t pid_;
};

/// Divides what a console says into lines.
struct Console {
  const std::function<void(std::string_view)>& hear;
  std::string line{}, last_words{};
  bool has_kernel = false;  ///< whether a kernel said something
  bool is_done = false, has_reason = false;

  /// Returns whether there was a line for `hear`.
  bool add(std::string_view text) {
    bool has_result = false;
    for (char c : text) {
      constexpr size_t longest = 1 << 16;
      if (c != '\n' && c != '\r' && line.size() < longest) line += c;
      if (c == '\n') has_result |= end_line();
    }
    return has_result;
  }

  bool end_line() {
    const std::string text = std::exchange(line, {});
    if (text.starts_with("@ ")) {
      hear(std::string_view(text).substr(2));
      is_done |= text == "@ done";
      return true;
    }
    bool is_of_qemu = text.starts_with("qemu");
    has_kernel |= !is_of_qemu && !text.empty();
    // What follows a panic says where, not why.
    if (!text.empty() && !has_reason) last_words = text;
    has_reason |= is_of_qemu || text.contains("Kernel panic");
    return false;
  }
};

}  // namespace

const Machine* find_machine(std::string_view architecture) {
  const auto* found = std::ranges::find(machines, architecture, &Machine::architecture);
  return found == std::end(machines) ? nullptr : found;
}

bool is_native(const Machine& machine) {
#ifdef __x86_64__
  return machine.architecture == "x86_64";
#else
  return machine.architecture == "arm64";
#endif
}

std::expected<std::string, Error> run_guest(const Machine& machine, int kernel, int initramfs,
                                            unsigned seconds,
                                            const std::function<void(std::string_view)>& hear) {
  using Clock = std::chrono::steady_clock;
  const bool has_kvm = trusts_kvm && is_native(machine) && ::access("/dev/kvm", R_OK | W_OK) == 0;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("no pipe");
  Descriptor from(ends[0]), to(ends[1]);
  const std::string words = fmt::format(
      "{} -accel {} -cpu {} -m 2048 -nodefaults -display none -no-reboot -serial "
      "stdio -kernel /dev/fd/{} -initrd /dev/fd/{} -append",
      machine.program, has_kvm ? "kvm" : "tcg", has_kvm ? "max" : machine.cpu, kernel, initramfs);
  Process qemu(words, machine.console, to.fd(), {kernel, initramfs});
  to = Descriptor();
  Console console{hear};
  const auto begin = Clock::now();
  constexpr auto kvm_speaks = std::chrono::seconds(10);
  auto end = begin + std::chrono::seconds(seconds);
  constexpr size_t most = size_t{1} << 30;  // bytes; whole logs of a thousand programs have less
  size_t said = 0;
  ssize_t size = 1;
  while (!console.is_done && size > 0 && said < most) {
    auto until = has_kvm && !console.has_kernel ? std::min(end, begin + kvm_speaks) : end;
    auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd wanted{from.fd(), POLLIN, 0};
    if (left <= 0) break;
    if (retry([&] { return ::poll(&wanted, 1, static_cast<int>(left)); }) == 0) continue;
    std::array<char, 1 << 16> buffer;
    size = retry([&] { return ::read(from.fd(), buffer.data(), buffer.size()); });
    said += static_cast<size_t>(std::max<ssize_t>(size, 0));
    if (size > 0 && console.add({buffer.data(), static_cast<size_t>(size)}))
      end = Clock::now() + std::chrono::seconds(seconds);
  }
  if (console.is_done) return std::string();
  if (qemu.end())
    return std::unexpected(Error{fmt::format("cannot run {}", words.substr(0, words.find(' '))),
                                 "Debian's packages are qemu-system-x86 and qemu-system-arm"});
  if (has_kvm && !console.has_kernel) {
    trusts_kvm = false;
    return run_guest(machine, kernel, initramfs, seconds, hear);
  }
  std::string why = said >= most ? "says too much"
                    : size > 0   ? "has no more results after the time of --timeout"
                                 : "ended early";
  if (!console.has_kernel) why += ", without a word: is its serial console built in?";
  return console.last_words.empty() ? why : fmt::format("{}: {}", why, console.last_words);
}

}  // namespace bpflink
