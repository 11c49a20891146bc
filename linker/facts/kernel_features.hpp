// The features of Linux that programs need and that neither their BTF nor a kernel's shows: one
// table, by release. What BTF shows is asked of it: helpers, kfuncs, types of maps and programs
// (Kernel::has_enumerator(), Kernel::find()). What is known of each thing of a kind is in a table
// of its own, with the same type: kinds of BTF, flags of maps, calls, targets that are denied.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "linker/facts/linux_release.hpp"

namespace bpflink {

enum class KernelFeature : uint8_t {
  // What verifiers compute. All know constants in registers, and whether these equal an immediate.
  Inequalities,         ///< all comparisons with immediates
  RegisterComparisons,  ///< comparisons of registers
  Spills,               ///< constants of 8 bytes on the stack
  FrozenMaps,           ///< .rodata and .kconfig
  ExclusiveOr,          ///< BPF_XOR of constants
  NarrowSpills,         ///< narrow stores of constants other than 0
  ImmediateStores,      ///< BPF_ST to the stack
  KsymAddresses,        ///< the address of a kernel function is not 0
  Negation,             ///< BPF_NEG of a constant
  ExceptionCallbacks,   ///< verifiers enter them
  // Functions.
  GlobalFunctions,    ///< verifiers check each on its own
  KfuncCalls,         ///< programs call functions of the kernel
  ImplicitArguments,  ///< kernels pass the last argument of some of these
  PointerArguments,   ///< of global functions
  VoidResults,        ///< of global functions
  ArenaResults,       ///< of global functions: pointers with the tag "arena"
  StructArguments,    ///< of functions that programs attach to
  SystemCallTargets,  ///< all system calls take programs that sleep, as far as kernels were asked
  // Sections.
  XdpFrags,
  SleepingStructOps,
  StructOpsLinks,  ///< structs of functions that links attach
  PerCpuData,      ///< variables of which each CPU has its own
  // Instructions.
  FunctionAddress,  ///< of a callback
  Jump32,           ///< comparisons of 32 bits
  Atomics,          ///< atomic operations but `lock *(u64 *)(r1 + 0) += r2`
  V4,               ///< -mcpu=v4: signed division, moves
  V4Codes,          ///< those with a code of their own: signed loads, byte swaps
  LongJump,         ///< gotol
  MayGoto,          ///< may_goto, of loops that the verifier does not bound
  AddressCast,      ///< addr_space_cast, of arenas
  LoadAcquire,      ///< load-acquire and store-release
  IndirectJump,     ///< gotox
  StackArguments,   ///< stores through r11
  IndirectCall,     ///< callx, which compilers make
  OtherInstruction,
  LabelTables,  ///< of `goto *table[i]`, in data: loaders fill in only .jumptables
};

struct KernelFeatureRow {
  KernelFeature feature;
  Introduction brought;
  std::string_view name{};    ///< what messages call it, or ""
  std::string_view advice{};  ///< how to do without, or ""
  /// Of an instruction: verifiers of earlier releases than this refuse it also where they do not
  /// get to.
  LinuxRelease refused_anywhere_before{};
};

inline constexpr auto kernel_features = [] {
  using enum KernelFeature;
  constexpr std::string_view without_v2 = "compile with -mcpu=v2",
                             without_v4 = "compile with -mcpu=v3";
  return std::to_array<KernelFeatureRow>({
      {Inequalities, {{4, 20}}},
      {RegisterComparisons, {{5, 3}}},
      {Spills, {{5, 3}}},
      {FrozenMaps, {{5, 5}}},
      {ExclusiveOr, {{5, 10}}},
      {NarrowSpills, {{5, 16}}},
      {ImmediateStores, {{6, 4}}},
      {KsymAddresses, {{6, 4}}},
      {Negation, {{6, 18}}},
      {ExceptionCallbacks, {{6, 7}}, "callbacks of exceptions", "drop the tag exception_callback"},
      {GlobalFunctions, {{5, 6}}},
      {KfuncCalls, {{5, 13}}, "calls of kernel functions"},
      {ImplicitArguments, {{7, 0}}},
      {PointerArguments, {{5, 12}}, "pointers as arguments of global functions"},
      {VoidResults, {{7, 1}}, "global functions that return void"},
      {ArenaResults, {{7, 2}, {6, 19}}, "global functions that return pointers into an arena"},
      {StructArguments, {{6, 0}}},
      {SystemCallTargets, {{7, 2}, {6, 13}}},
      {XdpFrags, {{5, 18}}, "xdp.frags programs"},
      {SleepingStructOps, {{6, 3}}, "struct_ops programs that sleep"},
      {StructOpsLinks, {{6, 4}}, "", "put it into .struct_ops"},
      {PerCpuData, {{7, 3}}, "", "put them into a map of type percpu_array"},
      {FunctionAddress, {{5, 13}}, "callbacks", "", {5, 13}},
      {Jump32, {{5, 1}}, "jumps of 32 bits", without_v2, {5, 1}},
      {Atomics, {{5, 12}}, "atomic operations other than addition", without_v2, {5, 12}},
      {V4, {{6, 6}}, "instructions of -mcpu=v4", without_v4},
      {V4Codes, {{6, 6}}, "instructions of -mcpu=v4", without_v4, {6, 6}},
      {LongJump, {{6, 6}, {6, 1}}, "gotol", without_v4, {6, 6}},  // in 6.1.192, not in 6.1.1
      {MayGoto, {{6, 9}}, "may_goto", "bound the loop", {6, 9}},
      {AddressCast, {{6, 9}}, "addr_space_cast"},
      {LoadAcquire, {{6, 15}}, "load-acquire and store-release", without_v4, {5, 12}},
      {IndirectJump, {{6, 19}}, "gotox", "compile with -fno-jump-tables", {6, 19}},
      {StackArguments, {{7, 2}}, "arguments on the stack", "pass at most five"},
      {IndirectCall, in_no_kernel, "calls through pointers",
       "call functions by their names, in a switch or ifs", not_yet},
      {OtherInstruction, in_no_kernel, "instructions that no kernel has", "", not_yet},
      {LabelTables, in_no_kernel, "tables of labels", "use a switch"},
  });
}();

constexpr const KernelFeatureRow& row_of(KernelFeature feature) {
  return kernel_features[static_cast<size_t>(feature)];
}
// Each feature has a row, in the order of the enumerators.
static_assert(std::ranges::all_of(kernel_features, [](const KernelFeatureRow& row) {
  return &row == &row_of(row.feature);
}));
static_assert(kernel_features.back().feature == KernelFeature::LabelTables);

}  // namespace bpflink
