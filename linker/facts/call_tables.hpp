// Which helpers and kfuncs programs may call, by the type of program and the kernel's release.
//
// Neither an object nor a kernel's BTF has this, so it was asked of booted kernels: the tables have
// the verifier's answers. A rule is a character. A digit is the index of the first of the probed
// releases that lets programs call the function, where earlier ones refuse; a letter, from 'a' on,
// the same where earlier ones did not have the function; a capital, the same where earlier ones
// let only programs that may sleep call it; '-' if none does; '!' if the function may sleep, but
// these programs may not; '*' if it depends on what the program attaches to.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bpflink/check.hpp"
#include "bpflink/object.hpp"

namespace bpflink {

inline constexpr uint32_t any_attach_type = 255;

/// Programs of one type, and what they may call.
struct ProgramCalls {
  ProgramType type;
  uint32_t attach_type;          ///< of the kernel's enum bpf_attach_type, or any_attach_type
  bool is_sleepable;             ///< of a program in a section such as "uprobe.s"
  std::string_view struct_name;  ///< of a struct_ops program, the struct that it implements; or ""
  char since;                    ///< a rule: whether there are such programs
  uint32_t row;                  ///< the index of their rules in CallTables::helpers
  uint32_t column;               ///< the index of their rules in KfuncCalls::rules
};

/// Kfuncs with the same rules.
struct KfuncCalls {
  std::string_view rules;  ///< by ProgramCalls::column
  std::string_view names;  ///< with a space between two
};

struct CallTables {
  std::span<const LinuxRelease> releases;     ///< those that were probed, the oldest first
  std::span<const std::string_view> helpers;  ///< in each, a rule for each helper, by number from 1
  std::span<const ProgramCalls> programs;
  std::span<const KfuncCalls> kfuncs;
};
extern const CallTables call_tables;

}  // namespace bpflink
