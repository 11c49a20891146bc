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
#include <cstdio>
#include <cstring>
#include <iterator>
#include <vector>

#include "linker/error.hpp"
#include "linker/io/bytes.hpp"
#include "linker/io/descriptor.hpp"
#include "linker/io/find_program.hpp"
#include "linker/io/input_file.hpp"

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

/// Whether its programs also run here.
bool is_native(const Machine& machine) {
#ifdef __x86_64__
  return machine.architecture == "x86_64";
#else
  return machine.architecture == "arm64";
#endif
}

/// A process that ends with this object, and with the thread that started it.
class Process {
 public:
  /// Runs the words of a command, and its last one, which may have spaces. It has the descriptors
  /// `kept` besides standard output and error.
  Process(std::string words, std::string last, int output, int errors, std::array<int, 2> kept) {
    std::vector<char*> pointers;
    for (char* rest = words.data(); char* word = ::strtok_r(rest, " ", &rest);)
      pointers.push_back(word);
    pointers.insert(pointers.end(), {last.data(), nullptr});
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ != 0) return;
    // Only calls that are async-signal-safe: this process may have threads.
    ::setpgid(0, 0);  // signals of the terminal do not end it before this process knows
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(errors, STDERR_FILENO);
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

/// A signal that ends guests, or 0.
std::atomic<int> stopped_by = 0;
constexpr int stopping[] = {SIGINT, SIGTERM};
struct sigaction before[std::size(stopping)];

void stop_guests(int signal) {
  stopped_by = signal;
  for (size_t i = 0; i < std::size(stopping); ++i) ::sigaction(stopping[i], &before[i], nullptr);
}

/// A command that runs a kernel, up to the kernel's own command line.
std::string command_of(const Guest& guest, bool has_kvm, bool has_sandbox) {
  constexpr std::string_view sandbox =
      " -sandbox on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny";
  return fmt::format(
      "{} -accel {} -cpu {} -m {} -smp {}{} -no-user-config -nodefaults -nic none -monitor none "
      "-display none -no-reboot -serial stdio -kernel /dev/fd/{} -initrd /dev/fd/{} -append",
      guest.machine.program, has_kvm ? "kvm" : "tcg", has_kvm ? "max" : guest.machine.cpu,
      guest.memory, guest.processors, has_sandbox ? sandbox : "", guest.kernel, guest.initramfs);
}

/// The last line of what qemu itself says. A guest writes to another pipe: it could otherwise say
/// that there is no sandbox.
std::string read_complaint(int fd) {
  std::array<char, 1 << 16> buffer;  // as much as a pipe takes
  const ssize_t size = retry([&] { return ::read(fd, buffer.data(), buffer.size()); });
  std::string_view text(buffer.data(), static_cast<size_t>(std::max<ssize_t>(size, 0)));
  while (text.ends_with('\n')) text.remove_suffix(1);
  return std::string(text.substr(text.rfind('\n') + 1));
}

}  // namespace

const Machine* find_machine(std::string_view architecture) {
  const auto* found = std::ranges::find(machines, architecture, &Machine::architecture);
  return found == std::end(machines) ? nullptr : found;
}

std::expected<std::string, Error> find_init(const Machine& machine) {
  std::string name = "bpfcore-init";
  if (!is_native(machine)) name.append("-").append(machine.architecture);
  return find_program(name, "BPFCORE_INIT", "load");
}

std::string libbpf_version(std::span<const std::byte> init) {
  constexpr std::string_view mark = "bpfcore-init with libbpf ";
  constexpr size_t longest = 16;
  const std::string_view text = text_of(init);
  const size_t at = text.find(mark);
  if (at == text.npos) return "";
  const std::string_view version = text.substr(at + mark.size(), longest);
  return std::string(version.substr(0, version.find_first_not_of("0123456789.")));
}

std::string describe_loader() {
  const auto* machine = std::ranges::find_if(machines, is_native);
  auto init = find_init(*machine);
  auto file = init ? InputFile::open(*init) : std::unexpected(init.error());
  if (!file) return "load cannot run: there is no bpfcore-init\n";
  return fmt::format("load uses libbpf {}\n", libbpf_version(file->bytes()));
}

std::string format_event(const GuestEvent& event) {
  return fmt::format("\n@ {} {} {} {} {:d} {} {}\n{}{}", event.word, event.job, event.program,
                     event.error, event.lacks_btf, event.said.size(), event.log.size(), event.said,
                     event.log);
}

void EventReader::add(std::string_view text) {
  constexpr size_t longest = 1 << 12;  // of a line
  while (!text.empty()) {
    const bool is_text = missing_ != 0;
    const size_t size = is_text ? std::min(missing_, text.size()) : text.find('\n');
    const std::string_view part = text.substr(0, size);
    if (is_text)
      texts_ += part;
    else
      line_ += part.substr(0, longest - std::min(longest, line_.size()));
    text.remove_prefix(std::min(text.size(), part.size() + (is_text ? 0 : 1)));
    if (is_text) missing_ -= size;
    if (is_text ? missing_ == 0 : size != text.npos) is_text ? end_event() : end_line();
  }
}

void EventReader::end_line() {
  std::string text = std::exchange(line_, {});
  if (text.ends_with('\r')) text.pop_back();
  has_kernel_ |= !text.empty();
  if (text.starts_with("@ ")) {
    size_t sizes[2] = {};
    char word[16] = "";
    int lacks_btf = 0;
    event_ = {};
    if (std::sscanf(text.c_str(), "@ %15s %zu %zu %d %d %zu %zu", word, &event_.job,
                    &event_.program, &event_.error, &lacks_btf, &sizes[0], &sizes[1]) == 7 &&
        sizes[0] <= most_ && sizes[1] <= most_) {
      word_ = word;
      event_.lacks_btf = lacks_btf != 0;
      said_size_ = sizes[0];
      missing_ = sizes[0] + sizes[1];
      if (missing_ == 0) end_event();
      return;
    }
  }
  // What follows a panic says where, not why.
  if (!text.empty() && !has_reason_) last_words_ = text;
  has_reason_ |= text.contains("Kernel panic");
}

void EventReader::end_event() {
  const std::string texts = std::exchange(texts_, {});
  event_.word = word_;
  event_.said = std::string_view(texts).substr(0, said_size_);
  event_.log = std::string_view(texts).substr(said_size_);
  on_event_(event_);
}

std::expected<std::string, Error> run_guest(
    const Guest& guest, const std::function<EventAnswer(const GuestEvent&)>& answer_event) {
  using Clock = std::chrono::steady_clock;
  const bool has_kvm =
      guest.qemu.has_kvm && is_native(guest.machine) && ::access("/dev/kvm", R_OK | W_OK) == 0;
  const bool has_sandbox = guest.qemu.has_sandbox;
  int ends[2], own_ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("no pipe");
  Descriptor from(ends[0]), to(ends[1]);
  if (::pipe2(own_ends, O_CLOEXEC | O_NONBLOCK) != 0) return system_error("no pipe");
  Descriptor from_qemu(own_ends[0]), to_qemu(own_ends[1]);
  Process qemu(command_of(guest, has_kvm, has_sandbox), guest.machine.console, to.fd(),
               to_qemu.fd(), {guest.kernel, guest.initramfs});
  to = Descriptor();
  const auto begin = Clock::now();
  const auto limit = std::chrono::seconds(guest.seconds);
  auto end = begin + limit;
  bool is_done = false, has_progress = false;
  EventReader reader(guest.most_text, [&](const GuestEvent& event) {
    const EventAnswer heard = answer_event(event);
    is_done |= heard == EventAnswer::Last;
    if (heard == EventAnswer::Ignored) return;
    has_progress = true;
    end = Clock::now() + limit;
  });
  constexpr auto kvm_speaks = std::chrono::seconds(10);
  constexpr auto signals_wait = std::chrono::milliseconds(200);
  constexpr size_t most = size_t{1} << 30;  // bytes; whole logs of a thousand programs have less
  size_t said = 0;
  ssize_t size = 1;
  while (!is_done && size > 0 && said < most && stopped_by == 0) {
    auto until = has_kvm && !reader.has_kernel() ? std::min(end, begin + kvm_speaks) : end;
    auto left =
        std::min(std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()), signals_wait);
    pollfd wanted{from.fd(), POLLIN, 0};
    if (left.count() <= 0) break;
    if (::poll(&wanted, 1, static_cast<int>(left.count())) <= 0) continue;
    std::array<char, 1 << 16> buffer;
    size = retry([&] { return ::read(from.fd(), buffer.data(), buffer.size()); });
    said += static_cast<size_t>(std::max<ssize_t>(size, 0));
    if (size > 0) reader.add({buffer.data(), static_cast<size_t>(size)});
  }
  if (is_done) return std::string();
  if (stopped_by != 0) return "was interrupted";
  if (qemu.end())
    return std::unexpected(
        Error{fmt::format("cannot run {}",
                          std::string_view(guest.machine.program)
                              .substr(0, std::string_view(guest.machine.program).find(' '))),
              "Debian's packages are qemu-system-x86 and qemu-system-arm"});
  const std::string complaint = read_complaint(from_qemu.fd());
  const bool lacks_sandbox = has_sandbox && complaint.contains("sandbox");
  if (!reader.has_kernel() && (has_kvm || lacks_sandbox)) {
    (lacks_sandbox ? guest.qemu.has_sandbox : guest.qemu.has_kvm) = false;
    return run_guest(guest, answer_event);
  }
  std::string why = said >= most   ? "says too much"
                    : size <= 0    ? "ended early"
                    : has_progress ? "has no more results after the time of --timeout"
                                   : "has no results after the time of --timeout";
  if (!reader.has_kernel()) why += ", and wrote nothing: is its serial console built in?";
  const std::string& words =
      complaint.empty() || reader.has_reason() ? reader.last_words() : complaint;
  return words.empty() ? why : fmt::format("{}: {}", why, words);
}

StopOnSignal::StopOnSignal() {
  struct sigaction action = {};
  action.sa_handler = stop_guests;
  for (size_t i = 0; i < std::size(stopping); ++i)
    if (::sigaction(stopping[i], nullptr, &before[i]) == 0 && before[i].sa_handler != SIG_IGN)
      ::sigaction(stopping[i], &action, nullptr);
}

StopOnSignal::~StopOnSignal() {
  for (size_t i = 0; i < std::size(stopping); ++i) ::sigaction(stopping[i], &before[i], nullptr);
}

int StopOnSignal::signal() {
  return stopped_by;
}

}  // namespace bpflink
