// Instructions that not all kernels have.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "bpflink/check.hpp"
#include "linker/object/insn.hpp"

namespace bpflink {

/// What the first release of Linux with an instruction brought. In order of releases.
enum class InsnFeature : uint8_t {
  Jump32,          ///< comparisons of 32 bits
  Atomics,         ///< atomic operations but `lock *(u64 *)(r1 + 0) += r2`
  V4,              ///< -mcpu=v4: signed division, moves
  V4Codes,         ///< those with a code of their own: signed loads, byte swaps
  LongJump,        ///< gotol
  MayGoto,         ///< may_goto, of loops that the verifier does not bound
  AddressCast,     ///< addr_space_cast, of arenas
  LoadAcquire,     ///< load-acquire and store-release
  IndirectJump,    ///< gotox
  StackArguments,  ///< stores through r11
};

struct InsnFeatureText {
  std::string_view name;
  LinuxRelease since;
  std::string_view advice;  ///< how to do without, or ""
  /// Verifiers of earlier releases than this refuse it also where they do not get to.
  LinuxRelease refused_anywhere_before = {};
  /// Updates brought it to some earlier releases, from this one on: what they have is unknown.
  LinuxRelease backported_to = since;
};
const InsnFeatureText& text_of(InsnFeature feature);

/// The feature that an instruction belongs to, if not every kernel with BTF has it.
std::optional<InsnFeature> feature_of(const Insn& insn);

}  // namespace bpflink
