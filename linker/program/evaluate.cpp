#include "linker/program/evaluate.hpp"

#include <algorithm>
#include <iterator>

#include "bpflink/btf_query.hpp"

namespace bpflink {
namespace {

/// Whether libbpf accepts CO-RE records for the instruction.
bool may_be_bound(const Insn& insn) {
  switch (BPF_CLASS(insn.code)) {
    case BPF_ALU:
    case BPF_ALU64:
    case BPF_LDX:
    case BPF_ST:
    case BPF_STX:
      return true;
    default:
      return insn.is_ld_imm64();
  }
}

/// Whether a helper may call a function with a pointer into the caller's stack. Kernel functions
/// and unknown helpers may.
bool may_call_back(const Insn& call) {
  if (call.src_reg != 0 || call.is_indirect_call()) return true;
  switch (call.imm) {
    case BPF_FUNC_for_each_map_elem:
    case BPF_FUNC_timer_set_callback:
    case BPF_FUNC_find_vma:
    case BPF_FUNC_loop:
    case 209:  // bpf_user_ringbuf_drain
      return true;
    default:
      return call.imm <= 0 || call.imm > 211;  // bpf_cgrp_storage_delete, the last helper
  }
}

constexpr uint8_t mem_sign_extended = 0x80;  // BPF_MEMSX, not in the headers of every system

/// Whether a call is of one of the commonest helpers that return numbers, which verifiers know.
bool returns_number(const Insn& insn) {
  constexpr int32_t helpers[] = {BPF_FUNC_ktime_get_ns,         BPF_FUNC_get_prandom_u32,
                                 BPF_FUNC_get_smp_processor_id, BPF_FUNC_get_current_pid_tgid,
                                 BPF_FUNC_get_current_uid_gid,  BPF_FUNC_ktime_get_boot_ns};
  return insn.is_call() && insn.src_reg == 0 &&
         std::ranges::find(helpers, insn.imm) != std::end(helpers);
}

}  // namespace

void Evaluator::step(uint32_t section, const CodeInsn& code) {
  const Insn& insn = code.insn;
  const BoundInsn* bound = may_be_bound(insn) ? find_bound({section, code.at}) : nullptr;
  // The verifier stops at a poisoned instruction. This walk continues: if the code after it is
  // reached, its relocations have to be fixed as well.
  if (bound && bound->is_poisoned) return set(insn.dst_reg, Value::foreign());
  switch (BPF_CLASS(insn.code)) {
    case BPF_ALU:
    case BPF_ALU64:
      set(insn.dst_reg, evaluate_alu(insn, state_[insn.dst_reg], operand(insn, bound), verifier_));
      break;
    case BPF_LD:
      load_immediate(code, bound);
      break;
    case BPF_LDX:
      set(insn.dst_reg, load(insn, bound));
      break;
    case BPF_ST:
    case BPF_STX:
      store(insn, bound);
      break;
    default:
      if (insn.is_indirect_call() || (insn.is_call() && !code.is_static_call())) call_kernel(insn);
  }
}

const BoundInsn* Evaluator::find_bound(std::pair<uint32_t, uint64_t> place) const {
  if (!facts_.bound) return nullptr;
  auto found = facts_.bound->find(place);
  return found == facts_.bound->end() ? nullptr : &found->second;
}

/// The second operand of arithmetic.
Value Evaluator::operand(const Insn& insn, const BoundInsn* bound) const {
  if (bound) return Value::constant(static_cast<uint64_t>(static_cast<int32_t>(bound->value)));
  if (BPF_SRC(insn.code) == BPF_X) return state_[insn.src_reg];
  return Value::constant(static_cast<uint64_t>(insn.imm));
}

void Evaluator::load_immediate(const CodeInsn& code, const BoundInsn* bound) {
  const Insn& insn = code.insn;
  if (!insn.is_ld_imm64()) {  // a legacy load from a packet
    state_.clobber_arguments();
    state_[0] = Value::scalar();
    return;
  }
  if (bound) return set(insn.dst_reg, Value::constant(bound->value));
  using enum CodeReference::Kind;
  const CodeReference& reference = code.reference;
  auto offset = static_cast<uint64_t>(reference.offset);
  uint64_t immediate =
      uint64_t{static_cast<uint32_t>(code.high)} << 32 | static_cast<uint32_t>(insn.imm);
  switch (reference.kind) {
    case None:
      return set(insn.dst_reg, insn.src_reg == 0 ? Value::constant(immediate) : Value::foreign());
    case Data:
      return set(insn.dst_reg, {Value::Kind::Data, reference.index, offset});
    case Kconfig:
      return set(insn.dst_reg, {Value::Kind::Kconfig, reference.index, offset});
    case Ksym:
      return set(insn.dst_reg, ksym_address(reference));
    default:
      return set(insn.dst_reg, Value::foreign());
  }
}

Value Evaluator::ksym_address(const CodeReference& reference) const {
  const InputSymbol& symbol = graph_.object.symbols[reference.index];
  auto exists = facts_.known.has_ksym ? facts_.known.has_ksym(symbol.name) : std::nullopt;
  if (!exists) return Value::foreign();
  if (!*exists && reference.offset == 0) return Value::constant(0);
  // To the verifier, the address of a variable without a type is a number. For one with a type, it
  // may know only that the kernel's BTF has it.
  const CodeExtern* type = graph_.find_extern(symbol);
  bool is_known = type && (type->is_function ? verifier_.has(KernelFeature::KsymAddresses)
                                             : skip_modifiers(*graph_.object.btf, type->type) == 0);
  return *exists && is_known ? Value{Value::Kind::NonZero} : Value::foreign();
}

Value Evaluator::load(const Insn& insn, const BoundInsn* bound) {
  const Value& base = state_[insn.src_reg];
  uint32_t size = insn.access_size();
  uint8_t mode = BPF_MODE(insn.code);
  bool is_signed = mode == mem_sign_extended;
  bool is_known = !bound && (mode == BPF_MEM || is_signed);
  uint64_t offset = base.bits + static_cast<uint64_t>(int64_t{insn.off});
  std::optional<Value> value;
  if (is_known && base.kind == Value::Kind::Frame)
    value = state_.load(static_cast<int64_t>(offset), size, is_signed);
  else if (is_known && verifier_.has(KernelFeature::FrozenMaps) && base.kind == Value::Kind::Data)
    value = settings_.load(base.base, offset, size, is_signed, assumed_);
  else if (is_known && verifier_.has(KernelFeature::FrozenMaps) &&
           base.kind == Value::Kind::Kconfig)
    value = load_kconfig(base, offset, size, is_signed);
  if (value) {
    value->settings |= base.settings;
    return *value;
  }
  if (base.may_be_frame() && size == 8) return {};
  // Loads of 4 bytes from a context may give pointers.
  bool is_scalar = size <= 2 || (base.is_address() && is_known);
  return is_scalar ? Value::scalar() : Value::foreign();
}

std::optional<uint64_t> Evaluator::kconfig_value(std::string_view name) const {
  const CoreFacts& known = facts_.known;
  if (name == "LINUX_KERNEL_VERSION" && known.version != 0) return known.version;
  return known.kconfig ? known.kconfig(name) : std::nullopt;
}

std::optional<Value> Evaluator::load_kconfig(const Value& base, uint64_t offset, uint32_t size,
                                             bool is_signed) const {
  const InputSymbol& symbol = graph_.object.symbols[base.base];
  const CodeExtern* type = graph_.find_extern(symbol);
  auto whole = type ? type_size(*graph_.object.btf, type->type) : std::nullopt;
  if (!whole || *whole > 8 || offset > *whole || size > *whole - offset) return std::nullopt;
  auto value = kconfig_value(symbol.name);
  if (!value) return std::nullopt;
  return loaded(part_of(*value, *whole, offset, size, graph_.object.byte_order), size, is_signed);
}

void Evaluator::store(const Insn& insn, const BoundInsn* bound) {
  const Value& base = state_[insn.dst_reg];
  uint32_t size = insn.access_size();
  auto offset = static_cast<int64_t>(base.bits + static_cast<uint64_t>(int64_t{insn.off}));
  bool is_atomic = BPF_CLASS(insn.code) == BPF_STX && BPF_MODE(insn.code) == BPF_ATOMIC;
  bool is_plain = BPF_MODE(insn.code) == BPF_MEM;
  if (base.kind == Value::Kind::Any || (base.kind == Value::Kind::Frame && bound))
    state_.clobber_stack();
  else if (base.kind == Value::Kind::Frame && !is_plain)
    state_.clobber(offset, size);
  else if (base.kind == Value::Kind::Frame)
    state_.store(offset, size, stored_value(insn), verifier_);
  // Were the address unknown, the stack would be.
  if (base.kind == Value::Kind::Frame) state_.depend_on(base.settings);
  if (is_atomic) clobber_fetched(insn);
}

Value Evaluator::stored_value(const Insn& insn) const {
  if (BPF_CLASS(insn.code) == BPF_STX) return state_[insn.src_reg];
  // Some verifiers treat the immediate as unsigned.
  bool is_known = verifier_.has(KernelFeature::ImmediateStores) && insn.imm >= 0;
  return is_known ? Value::constant(static_cast<uint64_t>(insn.imm)) : Value::scalar();
}

/// Clobbers the register that an atomic operation may load into: r0, its source or, for a load, its
/// destination.
void Evaluator::clobber_fetched(const Insn& insn) {
  constexpr int32_t load_acquire = 0x100;
  if (insn.imm == load_acquire) return set(insn.dst_reg, {});
  if ((insn.imm & BPF_FETCH) == 0) return;
  set(insn.imm == BPF_CMPXCHG ? uint8_t{0} : insn.src_reg, {});
}

/// A helper or kernel function may write to the stack from each address that it gets upwards.
void Evaluator::call_kernel(const Insn& insn) {
  if (may_call_back(insn) && state_.passes_frame()) state_.clobber_stack();
  for (uint8_t reg = 1; reg <= 5; ++reg) {
    if (state_[reg].kind == Value::Kind::Any) state_.clobber_stack();
    if (state_[reg].kind != Value::Kind::Frame) continue;
    state_.clobber_from(static_cast<int64_t>(state_[reg].bits));
    state_.depend_on(state_[reg].settings);
  }
  state_.clobber_arguments();
  state_[0] = returns_number(insn) ? Value::scalar() : Value::foreign();
}

}  // namespace bpflink
