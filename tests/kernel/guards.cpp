// Tests the reachability analysis against the kernel's verifier: does the verifier reach code that
// the analysis calls unreachable?
//
//     bpf_guards [COUNT [FIRST_SEED]]
//
// For each seed it makes a random program of several functions. Their branches depend on constants
// that came through arithmetic, the stack, arguments and results of calls, .rodata, and values that
// a loader fills in. It overwrites the unreachable code with the call by which libbpf poisons an
// instruction, and loads the program. The verifier must accept it if it accepted the original. A
// second run changes the variables that the analysis did not name as assumptions.
//
// The exit status is 0; 1 if the verifier reached a poisoned instruction; 77, with the reason, if
// the kernel does not permit bpf() at all.
#include <bpf/bpf.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "linker/program/code_graph.hpp"
#include "linker/program/reachability.hpp"
#include "tests/unit/made_object.hpp"

namespace {

using namespace bpflink;

constexpr int exit_skipped = 77;
constexpr int32_t poison = 195896080;
constexpr uint32_t rodata_size = 64, data_size = 64;
constexpr uint8_t r0 = 0, r1 = 1, r2 = 2, r3 = 3, r4 = 4, r6 = 6, r7 = 7, r9 = 9, fp = 10;
constexpr int wide = 0x18, add = BPF_ALU64 | BPF_ADD;
constexpr uint8_t mem_sign_extended = 0x80, may_goto = BPF_JMP | 0xe0;
constexpr std::array<uint8_t, 4> sizes = {BPF_B, BPF_H, BPF_W, BPF_DW};

int size_of(uint8_t size) {
  return size == BPF_B ? 1 : size == BPF_H ? 2 : size == BPF_W ? 4 : 8;
}

/// The value of an instruction's field.
struct Fixup {
  enum class Kind : uint8_t { None, Call, Callback, Rodata, Data, Core };
  Kind kind = Kind::None;
  uint32_t index = 0;  ///< a function, a section offset, or a kernel value
};

struct RandomInsn {
  bpf_insn insn;
  Fixup fixup;
};

enum class Linkage : uint8_t { Program, Static, Global, Callback };

struct RandomFunction {
  Linkage linkage;
  /// The first argument, or a callback's second, points to 16 bytes of the caller's stack.
  bool takes_stack = false;
  std::vector<RandomInsn> code = {};
};

using Bytes = std::vector<std::byte>;

struct RandomProgram {
  std::vector<RandomFunction> functions;  ///< the first is the program
  Bytes rodata, rodata_of_others;
};

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

/// The program as an object for the analysis: the program in its own section, other functions in
/// .text.
class MadeObject {
 public:
  explicit MadeObject(const RandomProgram& program) {
    object_.sections.reserve(4);
    for (const char* name : {"", ".text", "raw_tp", ".rodata"}) {
      bool is_code = object_.sections.size() == text || object_.sections.size() == main;
      test::add_section(object_, name, is_code ? SHF_ALLOC | SHF_EXECINSTR : SHF_ALLOC);
    }
    object_.symbols.emplace_back();
    for (uint32_t i = 0; i < program.functions.size(); ++i) add_function(program.functions[i], i);
    first_variable_ = static_cast<uint32_t>(object_.symbols.size());
    for (uint32_t at = 0; at < rodata_size; at += 8)
      test::add_symbol(object_, names_[at / 8], rodata, at, 8, STT_OBJECT);
    other_data_ = test::add_symbol(object_, "data", 0, 0, 0, STT_OBJECT);
    for (uint32_t i = 0; i < program.functions.size(); ++i) relocate(program.functions[i], i);
    object_.sections[text].data = text_bytes_;
    object_.sections[main].data = main_bytes_;
    object_.sections[rodata].data = program.rodata;
  }

  const ObjectFile& object() const { return object_; }
  /// The section and offset of instruction `index` of a function.
  std::pair<uint32_t, uint64_t> place(uint32_t function, size_t index) const {
    return {function == 0 ? main : text, starts_[function] + index * insn_size};
  }
  /// The variable that an assumption names, perhaps with an offset: "v3+4".
  static size_t variable_of(std::string_view name) {
    name = name.substr(0, name.find('+'));
    return static_cast<size_t>(std::ranges::find(names_, name) - names_.begin());
  }

 private:
  static constexpr uint32_t text = 1, main = 2, rodata = 3;
  static constexpr std::array<std::string_view, 8> names_ = {"v0", "v1", "v2", "v3",
                                                             "v4", "v5", "v6", "v7"};

  void add_function(const RandomFunction& function, uint32_t index) {
    Bytes& bytes = index == 0 ? main_bytes_ : text_bytes_;
    starts_.push_back(bytes.size());
    size_t size = function.code.size() * insn_size;
    bool is_local = function.linkage == Linkage::Static || function.linkage == Linkage::Callback;
    test::add_symbol(object_, "function", index == 0 ? main : text, bytes.size(), size, STT_FUNC,
                     is_local ? STB_LOCAL : STB_GLOBAL);
    bytes.resize(bytes.size() + size);
    std::memcpy(bytes.data() + bytes.size() - size, insns_of(function).data(), size);
  }

  static std::vector<bpf_insn> insns_of(const RandomFunction& function) {
    std::vector<bpf_insn> insns;
    insns.reserve(function.code.size());
    for (const RandomInsn& insn : function.code) insns.push_back(insn.insn);
    return insns;
  }

  void relocate(const RandomFunction& function, uint32_t index) {
    InputSection& section = object_.sections[index == 0 ? main : text];
    for (size_t i = 0; i < function.code.size(); ++i) {
      const Fixup& fixup = function.code[i].fixup;
      uint64_t at = starts_[index] + i * insn_size;
      bool is_code = fixup.kind == Fixup::Kind::Call || fixup.kind == Fixup::Kind::Callback;
      uint32_t type = fixup.kind == Fixup::Kind::Call ? R_BPF_64_32 : R_BPF_64_64;
      if (is_code)
        section.relocations.push_back({at, 0, type, 1 + fixup.index});
      else if (fixup.kind == Fixup::Kind::Rodata)
        section.relocations.push_back({at, 0, type, first_variable_ + fixup.index / 8});
      else if (fixup.kind == Fixup::Kind::Data)
        section.relocations.push_back({at, 0, type, other_data_});
    }
  }

  ObjectFile object_;
  Bytes text_bytes_, main_bytes_;
  std::vector<uint64_t> starts_;  ///< of functions, in their sections
  uint32_t first_variable_ = 0, other_data_ = 0;
};

/// A file descriptor that its destructor closes.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

Descriptor make_map(const Bytes& contents, bool is_constant) {
  bpf_map_create_opts options{};
  options.sz = sizeof options;
  if (is_constant) options.map_flags = BPF_F_RDONLY_PROG;
  Descriptor map(bpf_map_create(BPF_MAP_TYPE_ARRAY, "guards", 4,
                                static_cast<uint32_t>(contents.size()), 1, &options));
  uint32_t key = 0;
  bpf_map_update_elem(map.get(), &key, contents.data(), 0);
  if (is_constant) bpf_map_freeze(map.get());
  return map;
}

class Kernel {
 public:
  Kernel() : data_(make_map(Bytes(data_size), false)) {}

  /// The verifier's complaint, or "" if it accepts the program. `is_poisoned` has a flag for each
  /// instruction of all functions.
  std::string load(const RandomProgram& program, const Bytes& rodata,
                   const std::vector<bool>& is_poisoned) {
    Descriptor constants = make_map(rodata, true);
    std::vector<uint32_t> starts;
    std::vector<bpf_insn> insns;
    for (const RandomFunction& function : program.functions) {
      starts.push_back(static_cast<uint32_t>(insns.size()));
      for (const RandomInsn& insn : function.code) insns.push_back(insn.insn);
    }
    size_t at = 0;
    for (const RandomFunction& function : program.functions)
      for (const RandomInsn& insn : function.code) {
        fix(insns, at, insn.fixup, starts, constants.get());
        if (!is_poisoned.empty() && is_poisoned[at]) {
          insns[at] = {};
          insns[at].code = BPF_JMP | BPF_CALL;
          insns[at].imm = poison;
        }
        ++at;
      }
    return load(insns, describe(program, starts));
  }

 private:
  void fix(std::vector<bpf_insn>& insns, size_t at, const Fixup& fixup,
           const std::vector<uint32_t>& starts, int constants) const {
    bpf_insn& insn = insns[at];
    switch (fixup.kind) {
      case Fixup::Kind::None:
        return;
      case Fixup::Kind::Core:
        insn.imm = static_cast<int32_t>(fixup.index);
        return;
      case Fixup::Kind::Call:
      case Fixup::Kind::Callback:
        insn.imm = static_cast<int32_t>(starts[fixup.index]) - static_cast<int32_t>(at) - 1;
        if (fixup.kind == Fixup::Kind::Callback) insn.src_reg = BPF_PSEUDO_FUNC;
        return;
      case Fixup::Kind::Rodata:
      case Fixup::Kind::Data:
        insn.src_reg = BPF_PSEUDO_MAP_VALUE;
        insn.imm = fixup.kind == Fixup::Kind::Rodata ? constants : data_.get();
        insns[at + 1].imm = static_cast<int32_t>(fixup.index);
    }
  }

  struct Types {
    Descriptor btf;
    std::vector<bpf_func_info> functions;
  };

  static Types describe(const RandomProgram& program, const std::vector<uint32_t>& starts) {
    test::Unit unit;
    uint32_t number = unit.integer("u64", 8, false);
    uint32_t none = unit.prototype(number, {"a"}, number),
             two = unit.prototype(number, {"a", "b"}, number),
             three = unit.prototype(number, {"a", "b", "c"}, number);
    std::vector<bpf_func_info> functions;
    for (uint32_t i = 0; i < program.functions.size(); ++i) {
      Linkage linkage = program.functions[i].linkage;
      bool is_global = linkage == Linkage::Program || linkage == Linkage::Global;
      uint32_t prototype = linkage == Linkage::Program    ? none
                           : linkage == Linkage::Callback ? two
                                                          : three;
      uint32_t id = unit.function("f" + std::to_string(i), prototype,
                                  is_global ? BtfLinkage::Global : BtfLinkage::Static);
      functions.push_back({starts[i], id});
    }
    auto blob = unit.b.finish(std::endian::native);
    return {Descriptor(blob ? bpf_btf_load(blob->data(), blob->size(), nullptr) : -1), functions};
  }

  std::string load(const std::vector<bpf_insn>& insns, const Types& types) {
    bpf_prog_load_opts options{};
    options.sz = sizeof options;
    options.prog_btf_fd = static_cast<uint32_t>(types.btf.get());
    options.func_info = types.functions.data();
    options.func_info_cnt = static_cast<uint32_t>(types.functions.size());
    options.func_info_rec_size = sizeof(bpf_func_info);
    constexpr uint32_t errors_only = 4;
    log_[0] = 0;
    options.log_level = errors_only;
    options.log_buf = log_.data();
    options.log_size = static_cast<uint32_t>(log_.size());
    Descriptor loaded(bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "guards", "GPL", insns.data(),
                                    insns.size(), &options));
    return loaded.get() >= 0 ? "" : std::string("refused: ") + log_.data();
  }

  Descriptor data_;
  std::vector<char> log_ = std::vector<char>(1u << 16);
};

/// The last lines of a verifier's log.
std::string last_lines(const std::string& log) {
  size_t begin = log.size();
  for (int lines = 0; lines < 12 && begin != std::string::npos && begin != 0; ++lines)
    begin = log.rfind('\n', begin - 1);
  return begin == std::string::npos ? log : log.substr(begin);
}

uint32_t kernel_version() {
  utsname name{};
  uname(&name);
  unsigned major = 0, minor = 0;
  std::sscanf(name.release, "%u.%u", &major, &minor);
  return major << 16 | minor << 8;
}

class Test {
 public:
  /// False if the verifier reached a poisoned instruction.
  bool run(uint64_t seed) {
    RandomProgram program = Generator(seed).make();
    auto begin = std::chrono::steady_clock::now();
    std::string refused = kernel_.load(program, program.rodata, {});
    ++programs_;
    // The verifier takes seconds for some.
    if (std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(20)) return true;
    if (!refused.empty()) {
      if (std::getenv("GUARDS_VERBOSE")) std::printf("%s\n", last_lines(refused).c_str());
      return true;
    }
    ++accepted_;
    MadeObject made(program);
    CodeGraph graph(made.object());
    graph.find_blocks();
    BoundInsns bound = bind(program, made);
    CodeFacts facts{.bound = &bound, .verifier = version_};
    Reachability reachability(graph, facts);
    return check(seed, program, made, reachability);
  }

  void report() const {
    std::printf(
        "%u programs, %u accepted by the verifier, %llu instructions of which %llu are "
        "unreached, %llu by assumptions; %u loads with others\n",
        programs_, accepted_, insns_, unreached_, assumed_, other_loads_);
  }
  bool is_telling() const { return accepted_ * 2 > programs_ && unreached_ * 20 > insns_; }

 private:
  static BoundInsns bind(const RandomProgram& program, const MadeObject& made) {
    BoundInsns bound;
    for (uint32_t f = 0; f < program.functions.size(); ++f) {
      const auto& code = program.functions[f].code;
      for (size_t i = 0; i < code.size(); ++i) {
        if (code[i].fixup.kind != Fixup::Kind::Core) continue;
        bound[made.place(f, i)] = {.value = code[i].fixup.index};
      }
    }
    return bound;
  }

  /// Calls and jumps stay: without them the verifier does not find functions or the end of code.
  static bool may_poison(const RandomInsn& insn) {
    uint8_t insn_class = BPF_CLASS(insn.insn.code);
    bool is_code = insn.fixup.kind == Fixup::Kind::Callback;
    return insn_class != BPF_JMP && insn_class != BPF_JMP32 && !is_code;
  }

  bool check(uint64_t seed, const RandomProgram& program, const MadeObject& made,
             Reachability& reachability) {
    std::vector<bool> unreached;
    std::vector<std::set<size_t>> variables;  // for each instruction
    std::set<std::set<size_t>> sets;
    for (uint32_t f = 0; f < program.functions.size(); ++f) {
      const auto& code = program.functions[f].code;
      for (size_t i = 0; i < code.size(); ++i) {
        auto [section, offset] = made.place(f, i);
        InsnReach reach = reachability.find(section, offset);
        bool is_dead = !reach.reached && may_poison(code[i]);
        std::set<size_t>& names = variables.emplace_back();
        for (const CoreAssumption& assumption : reach.assumes)
          names.insert(MadeObject::variable_of(assumption.variable));
        if (is_dead && !names.empty()) sets.insert(names);
        ++insns_;
        unreached_ += is_dead;
        assumed_ += is_dead && !names.empty();
        unreached.push_back(is_dead);
        if (code[i].insn.code != wide) continue;
        unreached.push_back(is_dead);  // the second slot
        variables.push_back(names);
        ++i;
      }
    }
    if (!expect_accepted(seed, program, program.rodata, unreached)) return false;
    sets.insert({});
    return std::ranges::all_of(sets, [&](const std::set<size_t>& assumed) {
      std::vector<bool> still_unreached = unreached;
      for (size_t i = 0; i < unreached.size(); ++i)
        if (!std::ranges::includes(assumed, variables[i])) still_unreached[i] = false;
      Bytes rodata = program.rodata_of_others;
      for (size_t variable : assumed)
        std::copy_n(program.rodata.begin() + 8 * variable, 8, rodata.begin() + 8 * variable);
      ++other_loads_;
      return expect_not_poisoned(seed, program, rodata, still_unreached);
    });
  }

  bool expect_accepted(uint64_t seed, const RandomProgram& program, const Bytes& rodata,
                       const std::vector<bool>& is_poisoned) {
    std::string refused = kernel_.load(program, rodata, is_poisoned);
    if (refused.empty()) return true;
    std::printf("FAIL: seed %llu: the verifier refuses what it accepted before:\n%s\n",
                static_cast<unsigned long long>(seed), last_lines(refused).c_str());
    return false;
  }

  /// With other variables the verifier may refuse the program for code that it now reaches.
  bool expect_not_poisoned(uint64_t seed, const RandomProgram& program, const Bytes& rodata,
                           const std::vector<bool>& is_poisoned) {
    std::string refused = kernel_.load(program, rodata, is_poisoned);
    if (refused.find(std::to_string(poison)) == std::string::npos) return true;
    std::printf("FAIL: seed %llu: with other variables the verifier gets there:\n%s\n",
                static_cast<unsigned long long>(seed), last_lines(refused).c_str());
    return false;
  }

  Kernel kernel_;
  uint32_t version_ = kernel_version();
  unsigned programs_ = 0, accepted_ = 0, other_loads_ = 0;
  unsigned long long insns_ = 0, unreached_ = 0, assumed_ = 0;
};

bool bpf_permitted() {
  std::array<bpf_insn, 2> insns{};
  insns[0].code = BPF_ALU64 | BPF_MOV | BPF_K;
  insns[1].code = BPF_JMP | BPF_EXIT;
  Descriptor loaded(bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "probe", "GPL", insns.data(),
                                  insns.size(), nullptr));
  if (loaded.get() >= 0) return true;
  std::printf("SKIPPED: programs may not be loaded here: %s\n", std::strerror(errno));
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (!bpf_permitted()) return exit_skipped;
  uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 1000;
  uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 0) : 1;
  Test test;
  uint64_t failed = 0;
  for (uint64_t seed = first; seed < first + count && failed < 5; ++seed) failed += !test.run(seed);
  test.report();
  if (failed == 0 && count >= 100 && !test.is_telling()) {
    std::printf("FAIL: too few programs load, or too little is unreached\n");
    return 1;
  }
  return failed == 0 ? 0 : 1;
}
