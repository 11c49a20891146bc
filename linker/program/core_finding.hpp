// What comes of the things that an object needs of a kernel: the result of a check, which messages,
// the table, JSON and the page show.
#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "bpflink/core.hpp"
#include "linker/program/code_facts.hpp"
#include "linker/program/shared_list.hpp"

namespace bpflink {

/// What a relocation of an object means for a load on a kernel.
enum class CoreStatus : uint8_t {
  Resolves,  ///< the kernel has what it asks for
  Guarded,   ///< the kernel lacks it, and no execution reaches the code
  Unknown,   ///< too little is known of the kernel; never for relocations
  /// The kernel lacks it, and a program, or the whole object, does not load; or the member is a
  /// bit-field in the kernel, and a plain access would read other bits.
  Fails,
};

/// The name of a status.
inline std::string_view core_status_name(CoreStatus status) {
  constexpr std::string_view names[] = {"resolves", "guarded", "unknown", "fails"};
  return names[static_cast<size_t>(status)];
}

/// A kind of thing that a kernel binds when an object is loaded.
enum class CoreNeed : uint8_t {
  Relocation,
  Kfunc,            ///< an extern function in .ksyms
  KernelVariable,   ///< an extern variable in .ksyms that has a type
  KernelSymbol,     ///< one without a type: its address comes from /proc/kallsyms
  ConfigOption,     ///< an extern variable in .kconfig
  AttachTarget,     ///< a function or tracepoint that a program attaches to
  StructOps,        ///< a struct that programs implement
  StructOpsMember,  ///< one of its members
  Helper,
  MapType,
  ProgramType,
  AttachType,
  Instructions,  ///< instructions that not all kernels have
  ArgumentType,  ///< what a global function says of an argument
  Load,          ///< that the kernel itself loads the program
};

/// What reports call it.
inline std::string_view core_need_name(CoreNeed need) {
  constexpr std::string_view names[] = {
      "relocation",    "kfunc",       "kernel variable",   "kernel symbol", "config option",
      "attach target", "struct_ops",  "struct_ops member", "helper",        "map type",
      "program type",  "attach type", "instructions",      "argument type", "load"};
  static_assert(std::size(names) == static_cast<size_t>(CoreNeed::Load) + 1);
  return names[static_cast<size_t>(need)];
}
/// Whether the object declares it as an extern.
constexpr bool is_extern(CoreNeed need) {
  return need >= CoreNeed::Kfunc && need <= CoreNeed::ConfigOption;
}

/// The place of an instruction.
struct InsnPlace {
  uint32_t section;
  uint64_t offset;  ///< bytes into the section
};

/// How a program has an instruction.
enum class CodeUse : uint8_t {
  Reached,    ///< the verifier gets there
  Contained,  ///< a loader loads it with the program
};

/// The text of a message without its kernels: "WHAT in 12 of 40 kernels".
struct CoreComplaint {
  std::string what{};    ///< "struct task_struct has no member 'state'"
  std::string there{};   ///< the kernel's counterpart as C, or ""
  std::string here{};    ///< what the program has instead as C, or ""
  std::string advice{};  ///< a remedy: "did you mean pid?", "guard it with ..."; or ""
};

/// What a loader makes of a relocation.
struct CoreBinding {
  size_t record;  ///< index in CoreObject::records
  CoreOutcome outcome = CoreOutcome::Value;
  CoreReason reason = CoreReason::None;
  uint64_t value = 0;
  /// If it is guarded, the variables that decide branches in the programs, with the values that it
  /// is guarded with: it depends on no others.
  SharedList<CoreAssumption> assumes{};
};

/// The result for one need of an object. Views are of the object.
struct CoreFinding {
  CoreNeed need = CoreNeed::Relocation;
  CoreStatus status = CoreStatus::Resolves;
  bool becomes_zero = false;     ///< weak and absent: the program reads 0
  bool fails_to_attach = false;  ///< the program loads, but does not attach; `status` is Unknown
  std::string name{};            ///< the object's name for it; "" for a relocation
  /// The symbol that declares an extern, or the program or map that needs something else; or "".
  std::string_view symbol{};
  /// For a relocation, the programs that reach it or, if none does, those that contain it;
  /// otherwise, programs that need it; empty: the object does.
  ProgramList programs{};
  /// The object's instructions that need it, if these are why, and how programs have them. After
  /// the check, the first is one that the first program has.
  std::span<const InsnPlace> places{};
  CodeUse use = CodeUse::Reached;
  /// Why it does not resolve, or a difference that may matter; null if there is nothing to say.
  std::unique_ptr<CoreComplaint> complaint{};
  std::optional<CoreBinding> binding{};  ///< set for relocations

  /// Makes a failure one that happens only when the program attaches.
  void fail_to_attach() {
    fails_to_attach = status == CoreStatus::Fails;
    if (fails_to_attach) status = CoreStatus::Unknown;
  }
  /// It is not known whether the kernel has `thing`. `advice` says what would settle it.
  void leave_unknown(std::string thing, std::string_view advice) {
    status = CoreStatus::Unknown;
    complain(std::move(thing), std::string(advice));
  }
  void fail(std::string what, std::string advice = {}) {
    status = CoreStatus::Fails;
    complain(std::move(what), std::move(advice));
  }
  void complain(std::string what, std::string advice = {}) {
    complaint = std::make_unique<CoreComplaint>(
        CoreComplaint{.what = std::move(what), .advice = std::move(advice)});
  }
};

}  // namespace bpflink
