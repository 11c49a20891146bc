#include "random_code.hpp"

#include <array>
#include <random>

namespace bpflink::test {
namespace {

constexpr uint8_t r0 = 0, r1 = 1, r2 = 2, r3 = 3, r4 = 4, r6 = 6, r7 = 7, r9 = 9, fp = 10;
constexpr int wide = 0x18, add = BPF_ALU64 | BPF_ADD;
constexpr uint8_t mem_sign_extended = 0x80, may_goto = BPF_JMP | 0xe0;
constexpr std::array<uint8_t, 4> sizes = {BPF_B, BPF_H, BPF_W, BPF_DW};

int size_of(uint8_t size) {
  return size == BPF_B ? 1 : size == BPF_H ? 2 : size == BPF_W ? 4 : 8;
}

/// Writes functions that the verifier accepts: r0 and r6 to r9 always hold numbers, and a function
/// first writes 64 bytes of stack.
class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  RandomProgram make() {
    RandomProgram program;
    program.functions.push_back({Linkage::Program});
    uint32_t count = 2 + below(3);
    for (uint32_t i = 0; i < count; ++i) {
      constexpr std::array linkages = {Linkage::Static, Linkage::Static, Linkage::Global,
                                       Linkage::Callback};
      program.functions.push_back({linkages[below(linkages.size())]});
      Linkage linkage = program.functions.back().linkage;
      program.functions.back().takes_stack = linkage != Linkage::Global && chance(2);
    }
    for (uint32_t i = 0; i < rodata_size; ++i) {
      program.rodata.push_back(std::byte(chance(2) ? 0 : below(256)));
      program.rodata_of_others.push_back(std::byte(below(256)));
    }
    functions_ = &program.functions;
    rodata_ = &program.rodata;
    for (function_ = 0; function_ < program.functions.size(); ++function_) write_function();
    return program;
  }

 private:
  uint32_t below(uint64_t limit) { return static_cast<uint32_t>(random_() % limit); }
  bool chance(uint32_t one_in) { return below(one_in) == 0; }
  uint8_t number_register() { return chance(5) ? r0 : static_cast<uint8_t>(r6 + below(4)); }
  int16_t stack_word() { return static_cast<int16_t>(-8 - 8 * static_cast<int>(below(8))); }
  int32_t number() {
    constexpr std::array<int32_t, 8> usual = {0, 1, 2, -1, 8, 255, INT32_MIN, INT32_MAX};
    if (chance(3)) return last_set_;
    return chance(3) ? static_cast<int32_t>(random_()) : usual[below(usual.size())];
  }

  std::vector<RandomInsn>& code() { return (*functions_)[function_].code; }
  void emit(int code_byte, uint8_t dst, uint8_t src, int16_t off, int32_t imm, Fixup fixup = {}) {
    bpf_insn insn{};
    insn.code = static_cast<uint8_t>(code_byte);
    insn.dst_reg = dst & 0xf;
    insn.src_reg = src & 0xf;
    insn.off = off;
    insn.imm = imm;
    code().push_back({insn, fixup});
  }
  void emit_wide(uint8_t dst, uint64_t value, Fixup fixup = {}) {
    emit(wide, dst, 0, 0, static_cast<int32_t>(value), fixup);
    emit(0, 0, 0, 0, static_cast<int32_t>(value >> 32));
  }
  void move(uint8_t dst, uint8_t src) { emit(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0); }
  void set(uint8_t dst, int32_t imm) {
    emit(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, imm);
    last_set_ = imm;
  }
  /// After a call, r0 holds nothing but its result.
  void call_helper(int32_t helper) { emit(BPF_JMP | BPF_CALL, 0, 0, 0, helper); }
  void emit_unknown(uint8_t dst) {
    call_helper(BPF_FUNC_get_prandom_u32);
    if (dst != r0) move(dst, r0);
  }
  void emit_stack_address(uint8_t dst, int32_t offset) {
    move(dst, fp);
    emit(add, dst, 0, 0, offset);
  }

  void write_function() {
    const RandomFunction& function = (*functions_)[function_];
    bool has_arguments = function.linkage != Linkage::Program;
    if (function.takes_stack) {
      bool is_callback = function.linkage == Linkage::Callback;
      uint8_t pointer = is_callback ? r2 : r1, given = is_callback ? r1 : r2;
      auto off = static_cast<int16_t>(-8 + 8 * static_cast<int>(below(3)));
      if (!chance(4)) emit(BPF_STX | BPF_MEM | random_size(), pointer, given, off, 0);
      move(r6, given);
      set(r7, number());
    } else {
      for (uint8_t i = 0; i < 2; ++i)
        if (has_arguments && (i == 0 || function.linkage != Linkage::Callback))
          move(r6 + i, r1 + i);
        else
          set(r6 + i, number());
    }
    set(r6 + 2, number());
    set(r9, number());
    set(r0, number());
    for (int16_t word = -8; word >= -64; word -= 8)
      emit(BPF_STX | BPF_MEM | BPF_DW, fp, static_cast<uint8_t>(r6 + below(4)), word, 0);
    write_statements(4 + below(12), 0);
    // The verifier wants a reference to each function; dead code is enough.
    if (function_ == 0)
      for (uint32_t i = 1; i < functions_->size(); ++i) {
        write_branch([&] { write_call(i); });
      }
    if (function.linkage == Linkage::Callback) emit(BPF_ALU64 | BPF_AND | BPF_K, r0, 0, 0, 1);
    emit(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
  }

  void write_statements(uint32_t count, uint32_t depth) {
    for (uint32_t i = 0; i < count; ++i) write_statement(depth);
  }

  void write_statement(uint32_t depth) {
    switch (below(depth < 3 ? 21 : 13)) {
      case 0:
      case 1:
      case 2:
        return write_arithmetic();
      case 3:
        return chance(2) ? set(number_register(), number())
                         : emit_wide(number_register(), chance(2) ? random_() : below(3));
      case 4:
        return write_core_number();
      case 5:
        return emit_unknown(number_register());
      case 6:
        return write_rodata_load();
      case 7:
      case 8:
        return write_spill();
      case 9:
      case 10:
        return emit(BPF_LDX | (chance(6) ? mem_sign_extended | BPF_W : BPF_MEM | random_size()),
                    number_register(), fp, stack_word(), 0);
      case 11:
        return write_escape();
      case 12:
        if (function_ + 1 < functions_->size() && loop_depth_ == 0 && calls_++ < 8)
          return write_call(function_ + 1 + below(functions_->size() - function_ - 1));
        return write_spill();
      case 13:
        return write_loop(depth);
      case 14:
      case 15:
      case 16:
        return write_guard();
      case 17:
        return write_return();
      default:
        return write_branch([&] { write_statements(1 + below(4), depth + 1); });
    }
  }

  /// A known number, perhaps an instruction that changes it, and a branch on it.
  void write_guard() {
    auto reg = static_cast<uint8_t>(r6 + below(4));
    int32_t value = chance(2) ? static_cast<int32_t>(below(200)) : number();
    size_t unequal = 0;
    switch (below(8)) {
      case 0:
      case 1:
        value = write_variable(reg);
        break;
      case 2:
        emit(BPF_ALU64 | BPF_MOV | BPF_K, reg, 0, 0, 77,
             {Fixup::Kind::Core, static_cast<uint32_t>(value)});
        break;
      case 3:  // only the low half is known
        emit_unknown(reg);
        unequal = code().size();
        emit(BPF_JMP32 | BPF_JNE | BPF_K, reg, 0, 0, value);
        break;
      default:
        set(reg, value);
    }
    uint8_t size = random_size();
    auto off = static_cast<int16_t>(stack_word() + size_of(size) * below(8 / size_of(size)));
    bool is_stored = chance(2);
    if (is_stored) emit(BPF_STX | BPF_MEM | size, fp, reg, off, 0);
    write_disturbance(reg, off);
    if (is_stored) emit(BPF_LDX | BPF_MEM | size, reg, fp, off, 0);
    bool is_equal = chance(2);
    size_t jump = code().size();
    emit(BPF_JMP | (is_equal ? BPF_JEQ : BPF_JNE) | BPF_K, reg, 0, 0, value);
    write_arithmetic();
    if (is_equal) {
      patch(jump);
    } else {
      size_t end = code().size();
      emit(BPF_JMP | BPF_JA, 0, 0, 0, 0);
      patch(jump);
      write_arithmetic();
      patch(end);
    }
    if (unequal != 0) patch(unequal);
  }

  /// A return in the middle, with a number of its own.
  void write_return() {
    if ((*functions_)[function_].linkage == Linkage::Callback) return write_arithmetic();
    emit(BPF_JMP | BPF_JNE | BPF_K, number_register(), 0, 2, number());
    set(r0, number());
    emit(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
  }

  /// Loads a variable of .rodata and returns its value.
  int32_t write_variable(uint8_t dst) {
    uint32_t variable = 8 * below(rodata_size / 8);
    emit_wide(r1, 0, {Fixup::Kind::Rodata, variable});
    emit(BPF_LDX | BPF_MEM | BPF_B, dst, r1, 0, 0);
    return std::to_integer<int32_t>((*rodata_)[variable]);
  }

  void write_disturbance(uint8_t reg, int16_t off) {
    switch (below(8)) {
      case 0:
        return write_escape();
      case 1:
        return write_spill();
      case 2:
      case 3:
        if (function_ + 1 < functions_->size() && loop_depth_ == 0 && calls_++ < 8)
          return write_call(function_ + 1 + below(functions_->size() - function_ - 1));
        return;
      case 4: {  // a change if a variable has another value
        uint8_t other = reg == r9 ? r6 : r9;
        int32_t value = write_variable(other);
        emit(BPF_JMP | BPF_JEQ | BPF_K, other, 0, 1, value);
        return set(reg, number());
      }
      case 5: {  // a store into its 8 bytes
        uint8_t size = random_size();
        auto within = static_cast<int16_t>(size_of(size) * below(8 / size_of(size)));
        return emit(BPF_STX | BPF_MEM | size, fp, number_register(),
                    static_cast<int16_t>((off & ~7) + within), 0);
      }
      case 6:
        return write_somewhere(random_size());
      default:
        return;
    }
  }

  uint8_t random_size() { return chance(2) ? uint8_t{BPF_DW} : sizes[below(sizes.size())]; }

  void write_arithmetic() {
    constexpr std::array<uint8_t, 9> operations = {BPF_ADD, BPF_SUB, BPF_MUL, BPF_OR, BPF_AND,
                                                   BPF_XOR, BPF_MOV, BPF_DIV, BPF_MOD};
    constexpr std::array<uint8_t, 3> shifts = {BPF_LSH, BPF_RSH, BPF_ARSH};
    int width = chance(2) ? BPF_ALU64 : BPF_ALU;
    uint8_t dst = number_register(), src = number_register();
    switch (below(8)) {
      case 0:
        return emit(width | shifts[below(3)] | BPF_K, dst, 0, 0,
                    static_cast<int32_t>(below(width == BPF_ALU64 ? 64 : 32)));
      case 1:
        return emit(width | BPF_NEG, dst, 0, 0, 0);
      case 2:
        return emit((chance(2) ? BPF_ALU | BPF_END | (chance(2) ? BPF_TO_BE : BPF_TO_LE)
                               : BPF_ALU64 | BPF_END),
                    dst, 0, 0, 16 << below(3));
      case 3:
        return emit(width | BPF_MOV | BPF_X, dst, src, static_cast<int16_t>(8 << below(2)), 0);
      case 4:
        return emit(width | shifts[below(3)] | BPF_X, dst, src, 0, 0);
      case 5:
        return emit(width | operations[below(operations.size())] | BPF_X, dst, src, 0, 0);
      default:
        return emit(width | operations[below(7)] | BPF_K, dst, 0, 0, number());
    }
  }

  /// A number that the loader fills in: mostly 0 or 1.
  void write_core_number() {
    auto bound = static_cast<uint32_t>(chance(4) ? number() : static_cast<int32_t>(below(2)));
    Fixup fixup{Fixup::Kind::Core, bound};
    uint8_t dst = number_register();
    if (chance(3)) return emit_wide(dst, 77, fixup);
    emit((chance(2) ? BPF_ALU64 : BPF_ALU) | BPF_MOV | BPF_K, dst, 0, 0, 77, fixup);
  }

  /// Loads a part of an 8-byte variable of .rodata, or of data that is not constant.
  void write_rodata_load() {
    bool is_constant = !chance(4);
    uint8_t size = sizes[below(sizes.size())];
    uint32_t variable = 8 * below(rodata_size / 8);
    uint32_t within = below(8 / size_of(size)) * size_of(size);
    Fixup fixup{is_constant ? Fixup::Kind::Rodata : Fixup::Kind::Data, variable};
    emit_wide(r1, 0, fixup);
    if (chance(4)) emit(add, r1, 0, 0, 0);
    bool is_signed = size != BPF_DW && chance(4);
    emit(BPF_LDX | (is_signed ? mem_sign_extended : uint8_t{BPF_MEM}) | size, number_register(), r1,
         static_cast<int16_t>(within), 0);
  }

  void write_spill() {
    uint8_t size = random_size();
    auto off = stack_word();
    if (chance(4)) off = static_cast<int16_t>(off + size_of(size) * below(8 / size_of(size)));
    if (chance(4)) return emit(BPF_ST | BPF_MEM | size, fp, 0, off, number());
    if (chance(4)) {
      emit_stack_address(r2, -40);
      if (chance(3)) return write_somewhere(size);
      return emit(BPF_STX | BPF_MEM | size, r2, number_register(), static_cast<int16_t>(off + 40),
                  0);
    }
    if (chance(5)) {
      constexpr std::array<int32_t, 5> operations = {BPF_ADD, BPF_OR | BPF_FETCH, BPF_AND, BPF_XCHG,
                                                     BPF_CMPXCHG};
      return emit(BPF_STX | BPF_ATOMIC | BPF_DW, fp, number_register(), stack_word(),
                  operations[below(operations.size())]);
    }
    emit(BPF_STX | BPF_MEM | size, fp, number_register(), off, 0);
  }

  void write_somewhere(uint8_t size) {
    emit_unknown(r0);
    emit(BPF_ALU64 | BPF_AND | BPF_K, r0, 0, 0, 0x18);
    emit_stack_address(r2, -40);
    emit(add | BPF_X, r2, r0, 0, 0);
    emit(BPF_STX | BPF_MEM | size, r2, number_register(), 0, 0);
  }

  /// Calls of helpers that write to the stack.
  void write_escape() {
    emit_stack_address(r1, stack_word());
    if (chance(3)) {  // through the stack
      emit_stack_address(r2, stack_word());
      emit(BPF_STX | BPF_MEM | BPF_DW, fp, r1, -72, 0);
      emit(BPF_LDX | BPF_MEM | BPF_DW, r1, fp, -72, 0);
    }
    set(r2, static_cast<int32_t>(1 + below(8)));
    set(r3, 0);
    call_helper(chance(2) ? BPF_FUNC_probe_read_kernel : BPF_FUNC_get_current_comm);
  }

  void write_call(uint32_t callee) {
    const RandomFunction& function = (*functions_)[callee];
    if (function.linkage == Linkage::Callback) {
      set(r1, static_cast<int32_t>(1 + below(3)));
      emit_wide(r2, 0, {Fixup::Kind::Callback, callee});
      if (function.takes_stack || chance(2))
        emit_stack_address(r3, -64 + 8 * static_cast<int32_t>(below(7)));
      else
        set(r3, 0);
      set(r4, 0);
      return call_helper(BPF_FUNC_loop);
    }
    for (uint8_t reg = r1; reg <= r3; ++reg)
      if (chance(2))
        set(reg, number());
      else
        move(reg, number_register());
    if (function.takes_stack) emit_stack_address(r1, -64 + 8 * static_cast<int32_t>(below(7)));
    emit(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 0, {Fixup::Kind::Call, callee});
    if (chance(2)) move(number_register(), r0);
  }

  void patch(size_t jump) {
    code()[jump].insn.off = static_cast<int16_t>(code().size() - jump - 1);
  }

  template <typename Body>
  void write_branch(Body body) {
    constexpr std::array<uint8_t, 11> conditions = {BPF_JEQ,  BPF_JNE,  BPF_JGT,  BPF_JGE,
                                                    BPF_JLT,  BPF_JLE,  BPF_JSET, BPF_JSGT,
                                                    BPF_JSGE, BPF_JSLT, BPF_JSLE};
    uint8_t condition = chance(2) ? conditions[below(2)] : conditions[below(conditions.size())];
    int width = chance(2) ? BPF_JMP : BPF_JMP32;
    bool is_register = chance(3);
    size_t jump = code().size();
    emit(width | condition | (is_register ? BPF_X : BPF_K), number_register(),
         is_register ? number_register() : uint8_t{0}, 0, is_register ? 0 : number());
    body();
    if (chance(2)) return patch(jump);
    size_t end = code().size();
    emit(BPF_JMP | BPF_JA, 0, 0, 0, 0);
    patch(jump);
    body();
    patch(end);
  }

  /// A loop that the verifier unrolls, or that it ends by widening.
  void write_loop(uint32_t depth) {
    if (loops_ == 2) return write_arithmetic();
    auto counter = static_cast<int16_t>(-80 - 8 * static_cast<int>(loops_++));
    bool is_widened = chance(2);
    if (!is_widened) {
      set(r0, static_cast<int32_t>(1 + below(2)));
      emit(BPF_STX | BPF_MEM | BPF_DW, fp, r0, counter, 0);
    }
    size_t begin = code().size();
    if (is_widened) emit(may_goto, 0, 0, 0, 0);
    ++loop_depth_;
    write_statements(1 + below(3), depth + 1);
    --loop_depth_;
    if (is_widened) {
      emit(BPF_JMP | BPF_JA, 0, 0, static_cast<int16_t>(begin - code().size() - 1), 0);
      return patch(begin);
    }
    emit(BPF_LDX | BPF_MEM | BPF_DW, r1, fp, counter, 0);
    emit(BPF_ALU64 | BPF_SUB | BPF_K, r1, 0, 0, 1);
    emit(BPF_STX | BPF_MEM | BPF_DW, fp, r1, counter, 0);
    emit(BPF_JMP | BPF_JNE | BPF_K, r1, 0, static_cast<int16_t>(begin - code().size() - 1), 0);
  }

  std::mt19937_64 random_;
  std::vector<RandomFunction>* functions_ = nullptr;
  const Bytes* rodata_ = nullptr;
  int32_t last_set_ = 0;
  uint32_t function_ = 0, calls_ = 0, loops_ = 0, loop_depth_ = 0;
};

}  // namespace

RandomProgram make_random_program(uint64_t seed) {
  return Generator(seed).make();
}

}  // namespace bpflink::test
