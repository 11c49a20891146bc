// What every verifier knows about registers and stack at an instruction.
//
// The analysis answers "does the verifier get here?", not "does the program?". So a value is known
// only if every verifier knows it. A verifier that computes less than this analysis would walk into
// code that the analysis calls unreached, and find the poisoned instruction there. The analysis
// therefore uses a lattice of constants without ranges, and two rules:
//
// - Values that differ where paths meet become unknown at once. The verifier follows each path on
//   its own and knows more, except in loops of iterators and may_goto, where it widens a changing
//   value to an unknown one.
// - An operation that some verifier does not compute gives an unknown value: division, byte swaps,
//   and those in KernelFeature. What a verifier knows of parts of a value, or of relations
//   between values, is not modelled.
//
// The loader is assumed to have CAP_PERFMON. Without it the verifier also walks dead branches,
// because the processor might run them speculatively.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

#include "linker/facts/insn.hpp"
#include "linker/facts/kernel_features.hpp"
#include "linker/facts/verifier_rules.hpp"

namespace bpflink {

/// What a kernel's verifier computes; 0, an unknown version, stands for `oldest_verifier`.
class Verifier {
 public:
  /// The version is as in LINUX_KERNEL_VERSION.
  explicit Verifier(uint32_t version) {
    LinuxRelease release = version == 0 ? oldest_verifier : release_of(version);
    for (const KernelFeatureRow& row : kernel_features)
      features_[static_cast<size_t>(row.feature)] = row.brought.since <= release;
  }
  bool has(KernelFeature feature) const { return features_[static_cast<size_t>(feature)]; }

 private:
  std::bitset<kernel_features.size()> features_;
};

/// A number of `size` bytes in 8.
constexpr uint64_t truncate(uint64_t bits, uint32_t size) {
  return size >= 8 ? bits : bits & ((uint64_t{1} << size * 8) - 1);
}

constexpr uint64_t sign_extend(uint64_t bits, uint32_t size) {
  if (size >= 8) return bits;
  uint32_t unused = 64 - size * 8;
  return static_cast<uint64_t>(static_cast<int64_t>(bits << unused) >> unused);
}

/// The variables of .rodata that a value or a decision was derived from, a bit each.
using SettingSet = uint64_t;

/// What is known about a register or stack slot.
struct Value {
  enum class Kind : uint8_t {
    Any,      ///< nothing
    Foreign,  ///< not a pointer into this function's frame
    Scalar,   ///< not a pointer
    NonZero,  ///< known not to be 0
    Constant,
    Frame,    ///< the frame pointer plus `bits`
    Data,     ///< the address `bits` bytes into the read-only section `base`
    Kconfig,  ///< the address of the .kconfig extern with symbol `base`, plus `bits`
  };
  Kind kind = Kind::Any;
  uint32_t base = 0;
  uint64_t bits = 0;
  SettingSet settings = 0;  ///< meaningful only where `bits` is

  static Value constant(uint64_t bits, SettingSet settings = 0) {
    return {Kind::Constant, 0, bits, settings};
  }
  static Value foreign() { return {Kind::Foreign}; }
  static Value scalar() { return {Kind::Scalar}; }

  bool is_constant() const { return kind == Kind::Constant; }
  bool is_scalar() const { return kind == Kind::Scalar || kind == Kind::Constant; }
  /// An address that constants may be added to.
  bool is_address() const {
    return kind == Kind::Frame || kind == Kind::Data || kind == Kind::Kconfig;
  }
  bool may_be_frame() const { return kind == Kind::Any || kind == Kind::Frame; }
  /// Equal except for the settings.
  bool is_like(const Value& other) const {
    return kind == other.kind && base == other.base && bits == other.bits;
  }
  /// The value as seen by a caller or callee, which has its own frame.
  Value outside_frame() const { return may_be_frame() ? foreign() : *this; }

  /// Keeps what is true of both values. Returns whether this one changed.
  bool join(const Value& other);
};

/// The result of an instruction of class ALU or ALU64. `source` is the second operand; an immediate
/// is sign-extended.
Value evaluate_alu(const Insn& insn, const Value& destination, const Value& source,
                   const Verifier& verifier);

/// Whether a conditional jump is taken, if known.
std::optional<bool> decide_jump(const Insn& insn, const Value& destination, const Value& source,
                                const Verifier& verifier);

/// Registers and stack. Of the stack, each aligned word of 8 bytes has at most one value, which
/// begins where the word does: verifiers track no others.
class AbstractState {
 public:
  static constexpr uint8_t frame_pointer = 10;

  AbstractState();

  Value& operator[](uint8_t reg) { return registers_[reg]; }
  const Value& operator[](uint8_t reg) const { return registers_[reg]; }

  /// Keeps what is true of both states. Returns whether this one changed.
  bool join(const AbstractState& other);

  /// A load of `size` bytes at the frame pointer plus `offset`.
  Value load(int64_t offset, uint32_t size, bool is_signed) const;
  /// A store there.
  void store(int64_t offset, uint32_t size, const Value& value, const Verifier& verifier);
  /// A store of something unknown.
  void clobber(int64_t offset, uint32_t size);
  /// Makes the stack unknown from the frame pointer plus `offset` upwards.
  void clobber_from(int64_t offset);
  void clobber_stack() { slots_.clear(); }
  /// Records that what is known of the stack depends on `settings`.
  void depend_on(SettingSet settings);
  size_t slot_count() const { return slots_.size(); }

  /// Makes registers 1 to 5 unknown, as a call does.
  void clobber_arguments();
  /// Whether an argument may be an address in the frame.
  bool passes_frame() const;

 private:
  struct Slot {
    int32_t word;  ///< bytes from the frame pointer, by 8
    uint32_t size;
    Value value;
  };
  std::vector<Slot>::const_iterator find(int64_t word) const;

  std::array<Value, 11> registers_;
  std::vector<Slot> slots_;  ///< by `word`
};

}  // namespace bpflink
