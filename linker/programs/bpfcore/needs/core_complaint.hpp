// The message for a CO-RE relocation that fails on a kernel.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "linker/program/core_finding.hpp"

namespace bpflink {

/// The complaint about a relocation that `resolver` has just resolved to `result` without a value.
/// Each name of the kernel that is compared in search of a counterpart takes one from `names_left`.
/// `flavor` is for a struct that the advice offers, as in "task_struct___5_14".
CoreComplaint explain_failure(const BtfView& program, const CoreRelocation& relocation,
                              const CoreKernel& kernel, const CoreResolver& resolver,
                              const CoreResult& result, size_t& names_left,
                              std::string_view flavor);

/// A complaint if a bound relocation found a smaller size in the kernel than in the program, or
/// another sign; otherwise nothing.
std::optional<CoreComplaint> explain_difference(const BtfView& program,
                                                const CoreRelocation& relocation,
                                                const CoreResult& result);

/// The C text of a relocation's access: "struct task_struct.signal", "enum state.RUNNING".
std::string describe_access(const BtfView& program, const CoreRelocation& relocation);

}  // namespace bpflink
