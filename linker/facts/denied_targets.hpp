// Functions that programs may not be attached to, although the kernel's BTF has them: the lists
// btf_id_deny and noreturn_deny of its verifier, and bpf_lsm_disabled_hooks.
#pragma once

#include <optional>
#include <string_view>

#include "bpflink/check.hpp"
#include "bpflink/object.hpp"
#include "linker/facts/kernel_features.hpp"

namespace bpflink {

struct DeniedTarget {
  Introduction denied;      ///< the releases that refuse it
  std::string_view reason;  ///< the rest of a sentence about the function
};

/// Why a program may not be attached to the function, or LSM hook, of that name; nothing if it may.
std::optional<DeniedTarget> find_denied(const SectionMeaning& meaning, std::string_view name);

/// Since when programs that sleep may be attached to the LSM hook: what booted kernels said.
/// Nothing if it is so in some releases only.
std::optional<Introduction> sleepable_since(std::string_view hook);

}  // namespace bpflink
