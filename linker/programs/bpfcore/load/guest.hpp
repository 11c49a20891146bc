// Runs a kernel under qemu.
#pragma once

#include <expected>
#include <functional>
#include <string>
#include <string_view>

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
/// Whether this machine also runs its programs.
bool is_native(const Machine& machine);

/// Boots a kernel without network or disks and calls `hear` for each line of its console that
/// begins with "@ ", with the rest. `kernel` is the descriptor of an image, `initramfs` of its
/// files. It ends after "@ done", or if there is no such line for `seconds`. KVM is used where it
/// runs kernels. Qemu ends with this call, and with this process, however that ends. Returns why
/// the guest was not done, or "". Errors: qemu is not there.
std::expected<std::string, Error> run_guest(const Machine& machine, int kernel, int initramfs,
                                            unsigned seconds,
                                            const std::function<void(std::string_view)>& hear);

}  // namespace bpflink
