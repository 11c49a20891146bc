// What an object needs of a kernel besides CO-RE relocations: externs, attach targets, structs of
// functions, helpers, and types of maps and programs. Each is looked up as libbpf does when it
// loads the object.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bpflink/object.hpp"
#include "linker/kernels/kernel.hpp"
#include "linker/program/core_finding.hpp"
#include "linker/program/core_object.hpp"
#include "linker/verdicts/verdict.hpp"

namespace bpflink {

/// A name that is looked up in BTF.
struct WantedName {
  BtfKind kind;
  std::string_view prefix;  ///< before the name that the program gives: "bpf_lsm_"
  std::string_view name;

  std::string full() const { return std::string(prefix) + std::string(name); }
};

/// What settles what minimized BTF does not tell.
inline constexpr std::string_view whole_btf_advice =
    "its BTF lacks functions and enums, as minimized BTF does: check the kernel's own BTF";
/// What settles what the object leaves open.
inline constexpr std::string_view loader_sets_it_advice = "the program that loads it sets one";
/// What settles what only the release tells.
inline constexpr std::string_view release_advice = "give its --release";
inline constexpr std::string_view load_advice = "only a load on that kernel can tell";

/// Why a kernel cannot load the object: its code has the other byte order; or "".
std::string find_byte_order_fault(const CoreObject& object, const Kernel& kernel);

/// The needs of an object on a kernel. Maps that are not loaded by default ("?" before the
/// section's name) are ignored. Kprobes, tracepoints and uprobes name nothing that BTF has, and are
/// not checked.
struct NeedsCheck {
  // All must outlive this and the findings. The code must have been analyzed.
  const CoreObject& code;
  std::span<const Verdict> verdicts;  ///< of the object
  const Kernel& kernel;
  const Object& object = code.object;

  std::vector<CoreFinding> findings{};
  /// The values that the loader gives to externs: of .kconfig the option's, in the variable's type;
  /// of .ksyms 1. What is absent is 0.
  std::unordered_map<std::string_view, Answer<uint64_t>> externs{};
  /// How many more searches for similar names are allowed: each visits all names of the kernel.
  int searches_left = 32;
  /// How many bytes of prototypes in C findings may have.
  size_t text_left = size_t{1} << 20;

  /// Checks all but the code. The findings have a fixed order.
  void check();
  /// Checks what harms only programs with certain code: `users_of(places, use)` is the names of
  /// the programs that have one of these places. Externs must have been checked.
  std::function<ProgramList(std::span<const InsnPlace>, CodeUse use)> users_of{};
  void check_code();

  // For the checks, each of which is in a file of its own:

  CoreFinding& add(CoreNeed need, std::string name, std::string_view symbol);
  /// Of what instructions need. The symbol is the first of these programs.
  CoreFinding& add(CoreNeed need, std::string name, ProgramList users,
                   std::span<const InsnPlace> places, CodeUse use = CodeUse::Reached);
  /// Sets the status for something that was not found, with a similar name if it must be there.
  /// `thing` is "function do_thing".
  void report_missing(CoreFinding& finding, const std::string& thing, const WantedName& wanted,
                      bool is_weak = false);

  /// Sets the status for something that releases brought and the kernel lacks, or may lack: `thing`
  /// is "xdp.frags programs", and `lacks` the sentence that "came with Linux 5.18" completes.
  void report_release(CoreFinding& finding, const Introduction& brought, std::string thing,
                      std::string_view lacks, std::string advice = {}) const;

  std::unordered_map<std::string_view, size_t> kfuncs{};  ///< findings of those that are declared
  std::vector<size_t> variables_without_address{};        ///< findings of those that exist
  void check_ksyms();
  void check_addresses();
  void check_kconfig();
  void check_attach_targets();
  void check_struct_ops();
  void check_kernel_enums();
  void check_verdicts();
  void check_program_rules();
  void check_calls();
  void check_arguments();
};

}  // namespace bpflink
