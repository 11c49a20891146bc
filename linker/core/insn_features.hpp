// Instructions that not all kernels have.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "bpflink/check.hpp"
#include "linker/elf/insn.hpp"

namespace bpflink {

/// What the first release of Linux with an instruction brought. In order of releases.
enum class InsnFeature : uint8_t {
  Atomics,      ///< atomic operations but `lock *(u64 *)(r1 + 0) += r2`
  V4,           ///< -mcpu=v4: signed division, loads, moves, byte swaps, long jumps
  MayGoto,      ///< may_goto, of loops that the verifier does not bound
  AddressCast,  ///< addr_space_cast, of arenas
  LoadAcquire,  ///< load-acquire and store-release
  IndirectJump  ///< gotox
};

struct InsnFeatureText {
  std::string_view name;
  LinuxRelease since;
  std::string_view advice;  ///< how to do without, or ""
};
const InsnFeatureText& text_of(InsnFeature feature);

/// The feature that an instruction belongs to, if not every kernel with BTF has it.
std::optional<InsnFeature> feature_of(const Insn& insn);

}  // namespace bpflink
