// Runs a kernel under qemu.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "bpflink/error.hpp"

namespace bpflink {

/// A machine that qemu emulates.
struct Machine {
  std::string_view architecture;  ///< as KernelIdentity has it
  const char* program;            ///< and its machine
  const char* cpu;                ///< without KVM
  const char* console;            ///< and what else the kernel is told
  const char* console_option;     ///< of the kernel's configuration
};

/// Null if qemu has none here.
const Machine* find_machine(std::string_view architecture);
/// The program that its guests run, and the version of the libbpf in it, or "".
std::expected<std::string, Error> find_init(const Machine& machine);
std::string libbpf_version(std::span<const std::byte> init);
/// What --version says of this machine's program.
std::string describe_loader();

/// What a guest says, in the form that load.hpp describes.
struct GuestEvent {
  std::string_view word;
  size_t job = 0, program = 0;
  int error = 0;
  bool lacks_btf = false;
  std::string_view said, log;
};
std::string format_event(const GuestEvent& event);

/// Finds the events in what a console says. Texts of more than `most` bytes make no event.
class EventReader {
 public:
  EventReader(size_t most, std::function<void(const GuestEvent&)> answer_event)
      : most_(most), on_event_(std::move(answer_event)) {}

  void add(std::string_view text);
  /// Whether a kernel said something.
  bool has_kernel() const { return has_kernel_; }
  /// The last line that is not an event, or the reason of a panic.
  const std::string& last_words() const { return last_words_; }
  bool has_reason() const { return has_reason_; }

 private:
  void end_line();
  void end_event();

  size_t most_;
  std::function<void(const GuestEvent&)> on_event_;
  std::string line_, last_words_;
  GuestEvent event_;  ///< the one whose texts have begun
  std::string word_, texts_;
  size_t said_size_ = 0, missing_ = 0;  ///< bytes of its texts
  bool has_kernel_ = false, has_reason_ = false;
};

/// What a qemu is taken to have until a guest shows that it has not.
struct Qemu {
  std::atomic<bool> has_kvm = true;  ///< on a virtual machine, /dev/kvm may be there for others
  std::atomic<bool> has_sandbox = true;
};

/// How to run a kernel.
struct Guest {
  const Machine& machine;
  Qemu& qemu;                                        ///< of all guests of a run
  int kernel = -1, initramfs = -1;                   ///< descriptors of an image and its files
  unsigned memory = 0, processors = 1, seconds = 0;  ///< MiB; seconds without an expected event
  size_t most_text = 0;                              ///< bytes of an event
};

/// What an event is to the one who hears it.
enum class EventAnswer : uint8_t { Ignored, Expected, Last };

/// Boots a kernel without network or disks and calls `answer_event` for each event. It ends when
/// that returns Last, when nothing was Expected for so many seconds, and on a signal
/// (StopOnSignal). KVM is used where it runs kernels. Qemu ends with this call, and with this
/// process, however that ends. Returns why the guest was not done, or "". Errors: qemu is not
/// there.
std::expected<std::string, Error> run_guest(
    const Guest& guest, const std::function<EventAnswer(const GuestEvent&)>& answer_event);

/// While it is there, the first SIGINT or SIGTERM ends guests only. The next one ends the process.
class StopOnSignal {
 public:
  StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
  ~StopOnSignal();
  /// The signal that came, or 0.
  static int signal();
};

}  // namespace bpflink
