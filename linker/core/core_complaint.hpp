// The message for a CO-RE relocation that fails on a kernel.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>

#include "bpflink/core.hpp"

namespace bpflink {

/// The text of a message without its kernels: "WHAT in 12 of 40 kernels".
struct CoreComplaint {
  std::string what{};    ///< "struct task_struct has no member 'state'"
  std::string there{};   ///< what the kernel has instead, as C, or ""
  std::string advice{};  ///< the C expression that guards the access, or ""
  /// How to read what the kernel has: the tag of a flavor without its suffix, and its body; or "".
  std::string flavor_tag{}, flavor_body{};

  friend auto operator<=>(const CoreComplaint&, const CoreComplaint&) = default;
};

/// The complaint about a relocation that `resolver`, for a kernel, has just resolved to `result`
/// without a value. Each name of the kernel that is compared to find what is there instead takes
/// one from `names_left`.
CoreComplaint explain_failure(const BtfView& program, const CoreRelocation& relocation,
                              const CoreKernel& kernel, const CoreResolver& resolver,
                              const CoreResult& result, size_t& names_left);

/// What a relocation that was bound has found to be smaller in the kernel than in the program, or
/// of another sign; nothing where all is alike.
std::optional<CoreComplaint> explain_difference(const BtfView& program,
                                                const CoreRelocation& relocation,
                                                const CoreResult& result);

/// How C names what a relocation is about: "struct task_struct.signal", "enum state.RUNNING".
std::string describe_access(const BtfView& program, const CoreRelocation& relocation);

}  // namespace bpflink
