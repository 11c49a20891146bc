// bpflink in the place of bpf-linker, the linker that rustc calls for BPF.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "linker/options/command_line.hpp"

namespace bpflink {

/// Whether arguments are those of rustc, which alone gives two options together.
bool is_from_rustc(std::span<const std::string> arguments);

/// The options of bpf-linker, and what it does without any: it links archives whole, and gives
/// types names that kernels take.
class RustLinker {
 public:
  /// `command`, which must not move, gets all of that in bpflink's own words.
  explicit RustLinker(CommandLine& command);

  OptionGroup options();

  /// Completes the command when the table has parsed all options.
  void finish(const OptionTable& table);

 private:
  CommandLine& command_;
  std::string cpu_ = "generic";
  std::vector<std::string> switches_;  ///< of the user, for LLVM
  bool names_output_ = false, may_trap_ = false, copies_in_any_order_ = false, unrolls_ = false,
       ignores_noinline_ = false;
};

/// The library of LLVM of the rustc that has called this process, directly or through other
/// programs of the same user: a newer one than others that are installed may be needed to read its
/// bitcode. "" if there is none, or others than root, the user and the owner of that rustc may
/// change it.
std::string find_llvm_of_rustc();

}  // namespace bpflink
