#include "linker/program/abstract_state.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace bpflink {
namespace {

constexpr int64_t word_size = 8, deepest_stack = 512;

/// Verifiers before 5.7 lose the bounds of a sum if neither the signed nor the unsigned result is
/// exact, but keep its bits. Of 32-bit results they check the unsigned one only.
bool loses_bounds(bool is_add, bool is_wide, uint64_t a, uint64_t b) {
  uint64_t result;
  int64_t signed_result;
  auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
  bool overflows =
      is_add ? __builtin_add_overflow(a, b, &result) : __builtin_sub_overflow(a, b, &result);
  bool overflows_signed = is_add ? __builtin_add_overflow(x, y, &signed_result)
                                 : __builtin_sub_overflow(x, y, &signed_result);
  return overflows && (overflows_signed || !is_wide);
}

std::optional<uint64_t> shift(uint8_t operation, uint64_t value, uint64_t by, uint32_t width) {
  if (by >= width) return std::nullopt;
  if (operation == BPF_LSH) return value << by;
  if (operation == BPF_RSH) return value >> by;
  return static_cast<uint64_t>(static_cast<int64_t>(sign_extend(value, width / 8)) >> by);
}

std::optional<uint64_t> compute(const Insn& insn, uint64_t a, uint64_t b,
                                const Verifier& verifier) {
  bool is_wide = BPF_CLASS(insn.code) == BPF_ALU64;
  uint8_t operation = BPF_OP(insn.code);
  switch (operation) {
    case BPF_ADD:
    case BPF_SUB: {
      bool is_add = operation == BPF_ADD;
      if (loses_bounds(is_add, is_wide, a, b)) return std::nullopt;
      return is_add ? a + b : a - b;
    }
    case BPF_MUL:
      return a * b;
    case BPF_OR:
      return a | b;
    case BPF_AND:
      return a & b;
    case BPF_XOR:
      return verifier.has(KernelFeature::ExclusiveOr) ? std::optional(a ^ b) : std::nullopt;
    case BPF_NEG:
      return verifier.has(KernelFeature::Negation) ? std::optional(0 - a) : std::nullopt;
    case BPF_LSH:
    case BPF_RSH:
    case BPF_ARSH:
      return is_wide ? shift(operation, a, b, 64)
                     : shift(operation, truncate(a, 4), truncate(b, 4), 32);
    default:  // division, remainder and byte swaps, which verifiers do not compute
      return std::nullopt;
  }
}

/// Evaluates BPF_MOV. An offset means sign extension from that many bits, or a change of address
/// space.
Value evaluate_move(const Insn& insn, const Value& source) {
  bool is_wide = BPF_CLASS(insn.code) == BPF_ALU64;
  if (insn.off == 0 && is_wide) return source;
  if (insn.off == 1) return Value::foreign();
  if (!source.is_constant()) return Value::scalar();
  uint64_t bits = source.bits;
  if (insn.off == 8 || insn.off == 16 || insn.off == 32)
    bits = sign_extend(bits, static_cast<uint32_t>(insn.off) / 8);
  else if (insn.off != 0)
    return Value::foreign();
  return Value::constant(is_wide ? bits : truncate(bits, 4), source.settings);
}

/// Adding a constant to a known address gives a known address.
Value evaluate_address(uint8_t operation, const Value& destination, const Value& source) {
  SettingSet settings = destination.settings | source.settings;
  if (destination.is_address() && source.is_constant()) {
    uint64_t bits =
        operation == BPF_ADD ? destination.bits + source.bits : destination.bits - source.bits;
    return {destination.kind, destination.base, bits, settings};
  }
  if (destination.is_constant() && source.is_address() && operation == BPF_ADD)
    return {source.kind, source.base, destination.bits + source.bits, settings};
  if (destination.may_be_frame() || source.may_be_frame()) return {};
  return destination.is_scalar() && source.is_scalar() ? Value::scalar() : Value::foreign();
}

template <typename T>
bool compare(uint8_t operation, T a, T b) {
  using Signed = std::make_signed_t<T>;
  auto x = static_cast<Signed>(a), y = static_cast<Signed>(b);
  switch (operation) {
    case BPF_JEQ:
      return a == b;
    case BPF_JNE:
      return a != b;
    case BPF_JGT:
      return a > b;
    case BPF_JGE:
      return a >= b;
    case BPF_JLT:
      return a < b;
    case BPF_JLE:
      return a <= b;
    case BPF_JSGT:
      return x > y;
    case BPF_JSGE:
      return x >= y;
    case BPF_JSLT:
      return x < y;
    case BPF_JSLE:
      return x <= y;
    default:
      return (a & b) != 0;
  }
}

/// Comparisons without a sign that hold for every number, or for none: x < 0, x <= UINT64_MAX.
std::optional<bool> decide_extreme(uint8_t operation, bool is_wide, uint64_t limit) {
  uint64_t largest = is_wide ? UINT64_MAX : UINT32_MAX;
  if (!is_wide) limit = truncate(limit, 4);
  if (limit == 0 && (operation == BPF_JLT || operation == BPF_JGE)) return operation == BPF_JGE;
  if (limit == largest && (operation == BPF_JGT || operation == BPF_JLE))
    return operation == BPF_JLE;
  return std::nullopt;
}

}  // namespace

bool Value::join(const Value& other) {
  if (is_like(other)) {
    SettingSet both = settings | other.settings;
    return std::exchange(settings, both) != both;
  }
  Value joined;
  if (is_scalar() && other.is_scalar())
    joined = scalar();
  else if (!may_be_frame() && !other.may_be_frame())
    joined = foreign();
  bool changed = !is_like(joined);
  *this = joined;
  return changed;
}

Value evaluate_alu(const Insn& insn, const Value& destination, const Value& source,
                   const Verifier& verifier) {
  uint8_t operation = BPF_OP(insn.code);
  if (operation == BPF_MOV) return evaluate_move(insn, source);
  bool is_wide = BPF_CLASS(insn.code) == BPF_ALU64;
  bool is_unary = operation == BPF_NEG || operation == BPF_END;
  if (destination.is_constant() && (source.is_constant() || is_unary)) {
    auto result = compute(insn, destination.bits, source.bits, verifier);
    if (!result) return Value::scalar();
    SettingSet settings = destination.settings | (is_unary ? 0 : source.settings);
    return Value::constant(is_wide ? *result : truncate(*result, 4), settings);
  }
  // The verifier rejects all other operations on pointers, and those of 32 bits.
  bool moves_address = is_wide && (operation == BPF_ADD || operation == BPF_SUB);
  return moves_address ? evaluate_address(operation, destination, source) : Value::scalar();
}

std::optional<bool> decide_jump(const Insn& insn, const Value& destination, const Value& source,
                                const Verifier& verifier) {
  uint8_t operation = BPF_OP(insn.code);
  bool is_wide = BPF_CLASS(insn.code) == BPF_JMP;
  bool is_equality = operation == BPF_JEQ || operation == BPF_JNE;
  if ((!verifier.has(KernelFeature::Inequalities) && !is_equality) ||
      (!verifier.has(KernelFeature::RegisterComparisons) && BPF_SRC(insn.code) == BPF_X))
    return std::nullopt;
  if (destination.is_constant() && source.is_constant())
    return is_wide ? compare(operation, destination.bits, source.bits)
                   : compare(operation, static_cast<uint32_t>(destination.bits),
                             static_cast<uint32_t>(source.bits));
  if (destination.is_scalar() && source.is_constant())
    return decide_extreme(operation, is_wide, source.bits);
  bool is_test = destination.kind == Value::Kind::NonZero && source.is_constant() &&
                 source.bits == 0 && is_wide && is_equality;
  return is_test ? std::optional(operation == BPF_JNE) : std::nullopt;
}

AbstractState::AbstractState() {
  registers_.fill(Value::foreign());
  registers_[frame_pointer] = {Value::Kind::Frame};
}

bool AbstractState::join(const AbstractState& other) {
  bool changed = false;
  for (size_t i = 0; i < registers_.size(); ++i) changed |= registers_[i].join(other.registers_[i]);
  auto theirs = other.slots_.begin();
  auto unknown = [&](Slot& slot) {
    while (theirs != other.slots_.end() && theirs->word < slot.word) ++theirs;
    bool is_same =
        theirs != other.slots_.end() && theirs->word == slot.word && theirs->size == slot.size;
    if (!is_same) return true;
    changed |= slot.value.join(theirs->value);
    return slot.value.kind == Value::Kind::Any;
  };
  return std::erase_if(slots_, unknown) != 0 || changed;
}

std::vector<AbstractState::Slot>::const_iterator AbstractState::find(int64_t word) const {
  return std::ranges::lower_bound(slots_, word, {}, &Slot::word);
}

Value AbstractState::load(int64_t offset, uint32_t size, bool is_signed) const {
  auto slot = find(offset);
  bool is_known = slot != slots_.end() && slot->word == offset && slot->size == size;
  if (!is_known) return size == word_size ? Value() : Value::scalar();
  if (size == word_size || !is_signed || !slot->value.is_constant()) return slot->value;
  return Value::constant(sign_extend(slot->value.bits, size), slot->value.settings);
}

void AbstractState::store(int64_t offset, uint32_t size, const Value& value,
                          const Verifier& verifier) {
  clobber(offset, size);
  bool is_slot = offset < 0 && offset >= -deepest_stack && offset % word_size == 0;
  if (!is_slot || !verifier.has(KernelFeature::Spills) || value.kind == Value::Kind::Any) return;
  Value stored = value;
  if (size < word_size) {
    if (!value.is_constant()) return;
    stored.bits = truncate(value.bits, size);
    // Earlier verifiers track a zero, as zero bytes, but not if only the register's low bits are
    // zero.
    if (value.bits != 0 && !verifier.has(KernelFeature::NarrowSpills)) return;
  }
  slots_.insert(find(offset), {static_cast<int32_t>(offset), size, stored});
}

void AbstractState::clobber(int64_t offset, uint32_t size) {
  // A write to a part of a spilled register makes all of it unknown.
  std::erase_if(slots_, [&](const Slot& slot) {
    return slot.word + word_size > offset && slot.word < offset + int64_t{size};
  });
}

void AbstractState::clobber_from(int64_t offset) {
  std::erase_if(slots_, [&](const Slot& slot) { return slot.word + word_size > offset; });
}

void AbstractState::depend_on(SettingSet settings) {
  if (settings != 0)
    for (Slot& slot : slots_) slot.value.settings |= settings;
}

void AbstractState::clobber_arguments() {
  for (uint8_t reg = 1; reg <= 5; ++reg) registers_[reg] = Value::foreign();
}

bool AbstractState::passes_frame() const {
  return std::any_of(&registers_[1], &registers_[6],
                     [](const Value& value) { return value.may_be_frame(); });
}

}  // namespace bpflink
