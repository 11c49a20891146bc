// Hand-made objects, and what of them the verifier reaches, by the analysis
#include "linker/program/reachability.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <utility>

#include "linker/program/code_graph.hpp"
#include "made_object.hpp"

namespace bpflink {
namespace {

/// A little-endian instruction
struct Slot {
  int code;
  uint8_t dst = 0, src = 0;
  int16_t off = 0;
  int32_t imm = 0;
};

constexpr int move = BPF_ALU64 | BPF_MOV | BPF_K, move_register = BPF_ALU64 | BPF_MOV | BPF_X,
              add = BPF_ALU64 | BPF_ADD, equal = BPF_JMP | BPF_JEQ | BPF_K,
              unequal = BPF_JMP | BPF_JNE | BPF_K, call = BPF_JMP | BPF_CALL,
              leave = BPF_JMP | BPF_EXIT, wide = 0x18, load_double = BPF_LDX | BPF_MEM | BPF_DW,
              load_word = BPF_LDX | BPF_MEM | BPF_W, store_double = BPF_STX | BPF_MEM | BPF_DW,
              store_word = BPF_STX | BPF_MEM | BPF_W, may_goto = BPF_JMP | 0xe0,
              local_call = BPF_PSEUDO_CALL, frame = 10;
constexpr uint32_t text = 1, main_section = 2, rodata = 3;
constexpr uint32_t linux_6_18 = 6 << 16 | 18 << 8;

constexpr Slot op(int code, uint8_t dst = 0, uint8_t src = 0, int16_t off = 0, int32_t imm = 0) {
  return {code, dst, src, off, imm};
}
constexpr Slot set(uint8_t reg, int32_t value = 0) {
  return op(move, reg, 0, 0, value);
}
constexpr Slot copy(uint8_t to, uint8_t from) {
  return op(move_register, to, from);
}
constexpr Slot if_equal(uint8_t reg, int32_t value, int16_t skipped) {
  return op(equal, reg, 0, skipped, value);
}
constexpr Slot if_unequal(uint8_t reg, int32_t value, int16_t skipped) {
  return op(unequal, reg, 0, skipped, value);
}
constexpr Slot call_local(int32_t distance) {
  return op(call, 0, local_call, 0, distance);
}
constexpr Slot helper = op(call, 0, 0, 0, BPF_FUNC_get_prandom_u32), end = op(leave), high = op(0);

/// An object with a program "main" in its own section; .text and .rodata can be added.
class Made {
 public:
  Made() {
    object_.sections.reserve(8);
    constexpr uint64_t code_flags = SHF_ALLOC | SHF_EXECINSTR;
    for (auto [name, flags] : {std::pair("", uint64_t{SHF_ALLOC}),
                               {".text", code_flags},
                               {"xdp", code_flags},
                               {".rodata", uint64_t{SHF_ALLOC}}})
      test::add_section(object_, name, flags);
    object_.symbols.emplace_back();
  }

  uint32_t function(std::string_view name, const std::vector<Slot>& slots,
                    uint32_t section = main_section, uint8_t binding = STB_GLOBAL,
                    uint8_t visibility = STV_DEFAULT) {
    std::vector<std::byte>& bytes = bytes_[section];
    uint64_t begin = bytes.size();
    for (const Slot& slot : slots) {
      size_t at = bytes.size();
      bytes.resize(at + insn_size);
      bytes[at] = std::byte(slot.code);
      bytes[at + 1] = std::byte(slot.src << 4 | slot.dst);
      store<int16_t>(&bytes[at + 2], slot.off, std::endian::little);
      store<int32_t>(&bytes[at + 4], slot.imm, std::endian::little);
    }
    object_.sections[section].data = bytes;
    uint32_t index = symbol(name, section, begin, bytes.size() - begin, STT_FUNC, binding);
    object_.symbols[index].visibility = visibility;
    return index;
  }
  uint32_t symbol(std::string_view name, uint32_t section, uint64_t value, uint64_t size,
                  uint8_t type, uint8_t binding = STB_GLOBAL) {
    return test::add_symbol(object_, name, section, value, size, type, binding);
  }
  /// Adds variables of 8 bytes with these values.
  void variables(const std::vector<std::pair<std::string_view, uint64_t>>& variables) {
    for (auto [name, value] : variables) {
      std::vector<std::byte>& bytes = bytes_[rodata];
      bytes.resize(bytes.size() + 8);
      store(&bytes[bytes.size() - 8], value, std::endian::little);
      object_.sections[rodata].data = bytes;
      if (!name.empty()) symbol(name, rodata, bytes.size() - 8, 8, STT_OBJECT);
    }
  }
  /// Makes the program's instruction refer to the symbol, or to an offset from a section symbol.
  void refer(uint64_t insn, uint32_t symbol, int64_t addend = 0, uint32_t type = R_BPF_64_64) {
    object_.sections[main_section].relocations.push_back({insn * insn_size, addend, type, symbol});
  }
  uint32_t section_symbol(uint32_t section) {
    return symbol("", section, 0, 0, STT_SECTION, STB_LOCAL);
  }
  void types(const test::Unit& unit) {
    btf_ = test::finish(unit.b, std::endian::little);
    test::add_types(object_, btf_);
  }

  /// Sets the value of an instruction with a relocation record.
  void bind(uint64_t insn, BoundInsn bound, uint32_t section = main_section) {
    bound_[{section, insn * insn_size}] = bound;
  }
  static constexpr BoundInsn poisoned = {.is_poisoned = true};
  CodeFacts facts = {.verifier = linux_6_18};

  InsnReach reach(uint64_t insn, uint32_t section = main_section) {
    facts.bound = &bound_;
    CodeGraph graph(object_);
    graph.find_blocks();
    return Reachability(graph, facts).find(section, insn * insn_size);
  }
  bool reaches(uint64_t insn, uint32_t section = main_section) {
    InsnReach found = reach(insn, section);
    CHECK(found.assumes.empty());
    return found.reached;
  }
  /// "a=1 b=2": the assumptions under which an instruction is unreachable.
  std::string assumptions(uint64_t insn) {
    InsnReach found = reach(insn);
    std::string text = found.reached ? "reached" : "";
    for (const CoreAssumption& assumption : found.assumes)
      text +=
          (text.empty() ? "" : " ") + assumption.variable + "=" + std::to_string(assumption.value);
    return text;
  }

 private:
  ObjectFile object_;
  std::map<uint32_t, std::vector<std::byte>> bytes_;
  std::vector<std::byte> btf_;
  BoundInsns bound_;
};

/// Whether a program that does this to r1 can reach code where r1 is not `value`
bool may_differ(std::vector<Slot> slots, int32_t value, uint32_t version = linux_6_18) {
  slots.insert(slots.end(), {if_equal(1, value, 1), set(0), set(0), end});
  Made made;
  made.facts.verifier = version;
  made.function("main", slots);
  return made.reaches(slots.size() - 3);
}
bool is_known(const std::vector<Slot>& slots, int32_t value, uint32_t version = linux_6_18) {
  return !may_differ(slots, value, version);
}

}  // namespace

TEST_CASE("code behind a guard is reachable if the kernel has the field") {
  Made made;
  made.function("main", {set(1, 1), if_equal(1, 0, 1), op(load_word, 0, 6), end});
  made.bind(2, Made::poisoned);
  CHECK(made.reaches(2));
  made.bind(0, {.value = 0});
  CHECK_FALSE(made.reaches(2));
  CHECK(made.reach(2).programs == std::vector<std::string_view>{"main"});
}

TEST_CASE("code behind a poisoned instruction is reachable") {
  Made made;
  made.function("main", {op(load_word, 0, 6), op(load_word, 0, 6), end});
  made.bind(0, Made::poisoned);
  CHECK(made.reaches(0));
  CHECK(made.reaches(1));
}

TEST_CASE("arithmetic that every verifier computes") {
  auto operate = [](int operation, int32_t a, int32_t b) {
    return std::vector<Slot>{set(1, a), op(operation, 1, 0, 0, b)};
  };
  CHECK(is_known(operate(BPF_ALU64 | BPF_ADD, -1, 3), 2));
  CHECK(is_known(operate(BPF_ALU64 | BPF_SUB, 1, 3), -2));
  CHECK(is_known(operate(BPF_ALU64 | BPF_MUL, 7, -3), -21));
  CHECK(is_known(operate(BPF_ALU64 | BPF_OR, 5, 2), 7));
  CHECK(is_known(operate(BPF_ALU | BPF_AND, -1, 12), 12));
  CHECK(is_known(operate(BPF_ALU | BPF_RSH, -1, 31), 1));
  CHECK(is_known(operate(BPF_ALU64 | BPF_ARSH, -8, 1), -4));
  CHECK(is_known({op(wide, 1, 0, 0, 5), high}, 5));
  CHECK(may_differ({op(wide, 1, 0, 0, 5), {0, 0, 0, 0, 1}}, 5));
  CHECK(is_known({set(1, 255), op(move_register, 1, 1, 8)}, -1));
  // No verifier computes these.
  CHECK(may_differ(operate(BPF_ALU64 | BPF_DIV, 6, 3), 2));
  CHECK(may_differ({set(1, 256), op(BPF_ALU | BPF_END | BPF_TO_BE, 1, 0, 0, 16)}, 1));
  CHECK(may_differ({helper, copy(1, 0)}, 1));
}

TEST_CASE("arithmetic that later verifiers compute") {
  std::vector<Slot> exclusive_or = {set(1, 1), op(BPF_ALU64 | BPF_XOR, 1, 0, 0, 1)};
  CHECK(is_known(exclusive_or, 0));
  CHECK(is_known(exclusive_or, 0, 5 << 16 | 10 << 8));
  CHECK(may_differ(exclusive_or, 0, 5 << 16 | 9 << 8));
  CHECK(may_differ(exclusive_or, 0, 0));
  std::vector<Slot> negation = {set(1, 1), op(BPF_ALU64 | BPF_NEG, 1)};
  CHECK(is_known(negation, -1));
  CHECK(may_differ(negation, -1, 6 << 16 | 17 << 8));
}

TEST_CASE("conditions of 64 and 32 bits, signed and unsigned") {
  // Whether `r1 = a; if (r1 <condition> b) goto` may continue with the next instruction
  auto may_go_on = [](int condition, int32_t a, int32_t b) {
    Made made;
    made.function("main", {set(1, a), op(condition, 1, 0, 1, b), set(0), set(0), end});
    return made.reaches(2);
  };
  CHECK_FALSE(may_go_on(BPF_JMP | BPF_JGT, -1, 1));
  CHECK(may_go_on(BPF_JMP | BPF_JSGT, -1, 1));
  CHECK_FALSE(may_go_on(BPF_JMP | BPF_JSLT, -1, 1));
  CHECK_FALSE(may_go_on(BPF_JMP32 | BPF_JSLE, -1, -1));
  CHECK_FALSE(may_go_on(BPF_JMP32 | BPF_JGE, -1, 1));
  CHECK_FALSE(may_go_on(BPF_JMP | BPF_JSET, 6, 2));
  CHECK(may_go_on(BPF_JMP | BPF_JSET, 6, 1));
  CHECK_FALSE(may_go_on(BPF_JMP | BPF_JA, 0, 0));
  CHECK(may_go_on(may_goto, 0, 0));
  Made far;
  far.function("main", {op(BPF_JMP32 | BPF_JA, 0, 0, 0, 1), set(0), set(0), end});
  CHECK_FALSE(far.reaches(1));
  CHECK(far.reaches(2));
}

TEST_CASE("a comparison makes a number known, but not a pointer") {
  auto main = [](const Slot& load) {
    Made made;
    made.function("main", {load, if_unequal(2, 7, 3), if_equal(2, 7, 1), set(0), set(0), end});
    return made.reaches(3);
  };
  CHECK_FALSE(main(op(BPF_LDX | BPF_MEM | BPF_B, 2, 1)));
  CHECK(main(op(load_double, 2, 1)));
  CHECK(main(op(load_word, 2, 1)));  // loads a packet's start
}

TEST_CASE("values that differ where paths join are unknown") {
  // r6 = 1, or r6 = 1 or 2 by an unknown condition
  for (int32_t other : {1, 2}) {
    Made made;
    made.function("main", {set(6, 1), helper, if_equal(0, 0, 1), set(6, other), if_equal(6, 1, 1),
                           set(0), set(0), end});
    CHECK(made.reaches(5) == (other == 2));
  }
}

TEST_CASE("a spilled number is known if it is loaded alike") {
  auto spilled = [](int store, int16_t to, int load, int16_t from) {
    return std::vector<Slot>{set(2, 7), op(store, frame, 2, to), op(load, 1, frame, from)};
  };
  CHECK(is_known(spilled(store_double, -8, load_double, -8), 7));
  CHECK(is_known(spilled(store_word, -8, load_word, -8), 7));
  CHECK(may_differ(spilled(store_word, -8, load_word, -8), 7, 5 << 16 | 15 << 8));
  CHECK(may_differ(spilled(store_double, -8, load_word, -8), 7));
  CHECK(may_differ(spilled(store_double, -8, load_double, -16), 7));
  CHECK(may_differ(spilled(store_word, -4, load_word, -4), 7));  // no verifier tracks that
  std::vector<Slot> overwritten = spilled(store_word, -8, load_word, -8);
  overwritten.insert(overwritten.begin() + 2, op(store_word, frame, 3, -4));
  CHECK(may_differ(overwritten, 7));
  // Through another register
  CHECK(is_known({set(2, 7), copy(3, frame), op(add, 3, 0, 0, -16), op(store_double, 3, 2, 8),
                  op(load_double, 1, frame, -8)},
                 7));
  // By an immediate, which earlier verifiers forget
  std::vector<Slot> immediate = {op(BPF_ST | BPF_MEM | BPF_DW, frame, 0, -8, 7),
                                 op(load_double, 1, frame, -8)};
  CHECK(is_known(immediate, 7));
  CHECK(may_differ(immediate, 7, 6 << 16 | 2 << 8));
}

TEST_CASE("a helper writes from its address argument on") {
  auto passed = [](int32_t offset, int32_t helper_id) {
    return std::vector<Slot>{set(2, 7),
                             op(store_double, frame, 2, -16),
                             copy(1, frame),
                             op(add, 1, 0, 0, offset),
                             set(2, 8),
                             op(call, 0, 0, 0, helper_id),
                             op(load_double, 1, frame, -16)};
  };
  CHECK(is_known(passed(-8, BPF_FUNC_get_current_comm), 7));
  CHECK(may_differ(passed(-16, BPF_FUNC_get_current_comm), 7));
  CHECK(may_differ(passed(-32, BPF_FUNC_get_current_comm), 7));
  CHECK(may_differ(passed(-8, BPF_FUNC_loop), 7));  // its callback writes anywhere
  CHECK(may_differ({set(2, 7), op(store_double, frame, 2, -8), helper, copy(3, frame),
                    op(BPF_ALU64 | BPF_ADD | BPF_X, 3, 0), op(store_double, 3, 2, -16),
                    op(load_double, 1, frame, -8)},
                   7));
}

TEST_CASE("a static function is walked with each call's arguments, a global one without") {
  // main: has(1), has(0) in dead code; has: if (!r1) <here>.
  auto reaches = [](uint8_t binding, uint8_t visibility) {
    Made made;
    uint32_t callee =
        made.function("has", {if_unequal(1, 0, 1), set(0), set(0), end}, text, binding, visibility);
    made.function("main", {set(1, 1), call_local(-1), set(1, 1), if_equal(1, 1, 2), set(1),
                           call_local(-1), end});
    for (uint64_t insn : {1, 5}) made.refer(insn, callee, 0, R_BPF_64_32);
    return made.reaches(1, text);
  };
  CHECK_FALSE(reaches(STB_LOCAL, STV_DEFAULT));
  CHECK_FALSE(reaches(STB_GLOBAL, STV_HIDDEN));
  CHECK(reaches(STB_GLOBAL, STV_DEFAULT));
  CHECK(reaches(STB_WEAK, STV_DEFAULT));
}

TEST_CASE("a call gives the static function's return value for these arguments") {
  for (uint8_t binding : {STB_LOCAL, STB_GLOBAL}) {
    Made made;
    uint32_t callee = made.function("same", {copy(0, 1), end}, text, binding);
    made.function("main", {set(1), call_local(-1), if_equal(0, 0, 1), set(0), set(1, 1),
                           call_local(-1), if_equal(0, 1, 1), set(0), end});
    for (uint64_t insn : {1, 5}) made.refer(insn, callee, 0, R_BPF_64_32);
    CHECK(made.reaches(3) == (binding == STB_GLOBAL));
    CHECK(made.reaches(7) == (binding == STB_GLOBAL));
  }
}

TEST_CASE("code after a static function that does not return is unreachable") {
  Made made;
  // for (;;);
  uint32_t callee = made.function("loops", {op(BPF_JMP | BPF_JA, 0, 0, -1), end}, text, STB_LOCAL);
  made.function("main", {call_local(-1), end});
  made.refer(0, callee, 0, R_BPF_64_32);
  CHECK_FALSE(made.reaches(1));
}

TEST_CASE("a callee that gets a stack address may write to it") {
  Made made;
  uint32_t callee = made.function("fill", {set(0), end}, text, STB_LOCAL);
  made.function("main", {set(6, 7), op(store_double, frame, 6, -8), copy(1, frame), call_local(-1),
                         op(load_double, 1, frame, -8), if_equal(1, 7, 1), set(0), end});
  made.refer(3, callee, 0, R_BPF_64_32);
  CHECK(made.reaches(6));
}

TEST_CASE("a callback is entered if its address is taken") {
  for (int32_t taken : {0, 1}) {
    Made made;
    made.function("other", {set(0), end}, text, STB_LOCAL);
    made.function("callback", {if_equal(1, 5, 1), set(0), set(0), end}, text, STB_LOCAL);
    made.function("main", {set(1, taken), if_equal(1, 0, 2), op(wide, 2), high, set(0), end});
    made.refer(2, made.section_symbol(text), 2 * insn_size);
    InsnReach reach = made.reach(3, text);
    CHECK(reach.reached == (taken != 0));
    CHECK(reach.programs == std::vector<std::string_view>{"main"});
    CHECK(made.reach(0, text).programs.empty());
  }
}

TEST_CASE("programs that reach an instruction, and programs that contain it") {
  Made made;
  uint32_t callee = made.function("has", {if_equal(1, 0, 1), set(0), set(0), end}, text, STB_LOCAL);
  for (int32_t i = 0; i < 3; ++i) {
    constexpr std::array<std::string_view, 3> names = {"first", "second", "third"};
    made.function(names[i], {set(1, i % 2), call_local(-1), end});
    made.refer(3 * i + 1, callee, 0, R_BPF_64_32);
  }
  CHECK(made.reach(1, text).programs == std::vector<std::string_view>{"second"});
  CHECK(made.reach(0, text).programs == std::vector<std::string_view>{"first", "second", "third"});
}

TEST_CASE("a .rodata variable is an assumption if it decides") {
  Made made;
  made.variables({{"a", 0}, {"b", 0}, {"c", 3}});
  // if (a) { <5>; if (b) <9> }, if (c == 3 - 1) <14>
  made.function(
      "main", {op(wide, 1), high, op(load_word, 2, 1), if_equal(2, 0, 6), set(0), op(wide, 1), high,
               op(load_word, 3, 1), if_equal(3, 0, 1), set(0), op(wide, 1), high,
               op(BPF_LDX | BPF_MEM | BPF_B, 3, 1), if_unequal(3, 2, 1), set(0), set(0), end});
  uint32_t section = made.section_symbol(rodata);
  for (auto [insn, addend] : {std::pair(0, 0), {5, 8}, {10, 16}}) made.refer(insn, section, addend);
  CHECK(made.assumptions(4) == "a=0 c=3");
  CHECK(made.assumptions(9) == "a=0 c=3");
  CHECK(made.assumptions(14) == "a=0 c=3");
  CHECK(made.assumptions(15) == "reached");
  made.facts.verifier = 5 << 16 | 4 << 8;  // which does not read frozen maps
  CHECK(made.assumptions(4) == "reached");
  made.facts.verifier = 0;
  CHECK(made.assumptions(4) == "a=0 c=3");
  auto& settings = made.facts.known.settings;
  settings = {{"a", 1}};
  CHECK(made.assumptions(4) == "reached");
  CHECK(made.assumptions(9) == "b=0 c=3");
  settings["a"] = 0;
  CHECK(made.assumptions(4).empty());
  settings.clear();
  made.facts.known.strict = true;
  CHECK(made.assumptions(4) == "reached");
}

TEST_CASE("a variable that another program asks is no assumption") {
  Made made;
  made.variables({{"a", 0}, {"b", 0}});
  const std::vector<Slot> asks = {op(wide, 1),       high,   op(load_word, 2, 1),
                                  if_equal(2, 0, 1), set(0), end};
  made.function("main", asks);
  made.function("other", asks);
  uint32_t section = made.section_symbol(rodata);
  made.refer(0, section, 0);
  made.refer(asks.size(), section, 8);
  CHECK(made.assumptions(4) == "a=0");
  CHECK(made.assumptions(asks.size() + 4) == "b=0");
}

TEST_CASE("a variable that says where the stack is written") {
  Made made;
  made.variables({{"a", 8}});
  // word = 1; *(base + a) = 0; if (word != 1) <10>
  made.function("main", {op(BPF_ST | BPF_MEM | BPF_DW, frame, 0, -16, 1), op(wide, 1), high,
                         op(load_double, 2, 1), copy(3, frame), op(add | BPF_X, 3, 2),
                         op(store_double, 3, 0, -16), op(load_double, 4, frame, -16),
                         if_equal(4, 1, 1), set(0), set(0), end});
  made.refer(1, made.section_symbol(rodata), 0);
  CHECK(made.assumptions(9) == "a=8");
}

TEST_CASE("both variables are named if either would make the code reachable") {
  Made made;
  made.variables({{"a", 0}, {"b", 0}});
  made.function("main", {op(wide, 1), high, op(load_word, 2, 1), if_unequal(2, 0, 4), op(wide, 1),
                         high, op(load_word, 2, 1), if_equal(2, 0, 1), set(0), set(0), end});
  uint32_t section = made.section_symbol(rodata);
  made.refer(0, section, 0);
  made.refer(4, section, 8);
  CHECK(made.assumptions(8) == "a=0 b=0");
}

TEST_CASE("a variable that decides a number, not the branch itself") {
  Made made;
  made.variables({{"a", 0}});
  // r6 = 1; if (a) r6 = 0; if (!r6) <7>
  made.function("main", {set(6, 1), op(wide, 1), high, op(load_double, 2, 1), if_equal(2, 0, 1),
                         set(6), if_equal(6, 1, 1), set(0), end});
  made.refer(1, made.section_symbol(rodata), 0);
  CHECK(made.assumptions(7) == "a=0");
}

TEST_CASE("a compiler's constant is not an assumption") {
  Made made;
  made.variables({{"", 1}});
  made.function("main", {op(wide, 1), high, op(load_double, 2, 1), if_equal(2, 1, 1), set(0), end});
  made.refer(0, made.section_symbol(rodata), 0);
  CHECK(made.assumptions(4).empty());
  made.facts.known.strict = true;
  CHECK(made.assumptions(4).empty());
}

TEST_CASE("the kernel's configuration and its symbols") {
  test::Unit unit;
  uint32_t number = unit.integer("int");
  auto extern_word = static_cast<uint32_t>(BtfLinkage::Extern);
  auto variable = [&](std::string_view name, uint32_t type) {
    return unit.add(BtfKind::Var, name, type, {extern_word});
  };
  uint32_t version = variable("LINUX_KERNEL_VERSION", number), address = variable("address", 0),
           typed = variable("typed", number);
  unit.add(BtfKind::Datasec, ".kconfig", 4, {version, 0, 4}, 1);
  unit.add(BtfKind::Datasec, ".ksyms", 0, {address, 0, 0, typed, 0, 4}, 2);
  unit.function("function", unit.prototype(number, {}, number), BtfLinkage::Extern);

  // if (LINUX_KERNEL_VERSION < 6 << 16) <4>; if (&symbol) <8>; else <10>
  auto make = [&](Made& made, std::string_view name) {
    made.function("main",
                  {op(wide, 1), high, op(load_word, 2, 1), op(BPF_JMP | BPF_JGE, 2, 0, 1, 6 << 16),
                   set(0), op(wide, 1), high, if_equal(1, 0, 2), set(0), end, set(0), end});
    made.refer(0, made.symbol("LINUX_KERNEL_VERSION", 0, 0, 0, STT_NOTYPE));
    made.refer(5, made.symbol(name, 0, 0, 0, STT_NOTYPE, STB_WEAK));
    made.types(unit);
  };
  Made unknown;
  make(unknown, "address");
  CHECK(unknown.reaches(4));
  CHECK(unknown.reaches(8));
  CHECK(unknown.reaches(10));
  unknown.facts.known.kconfig = [](std::string_view name) {
    CHECK(name == "LINUX_KERNEL_VERSION");
    return std::optional<uint64_t>(linux_6_18);
  };
  CHECK_FALSE(unknown.reaches(4));
  unknown.facts.known.kconfig = [](std::string_view) { return std::optional<uint64_t>(5 << 16); };
  CHECK(unknown.reaches(4));

  // The verifier does not use the fact that a typed variable exists.
  for (auto [name, is_known] : {std::pair("address", true), {"function", true}, {"typed", false}}) {
    CAPTURE(name);
    Made made;
    make(made, name);
    made.facts.known.has_ksym = [](std::string_view) { return std::optional(false); };
    CHECK_FALSE(made.reaches(8));
    CHECK(made.reaches(10));
    made.facts.known.has_ksym = [](std::string_view) { return std::optional(true); };
    CHECK(made.reaches(8));
    CHECK(made.reaches(10) == !is_known);
  }
}

TEST_CASE("code is reachable if the walk cannot follow") {
  Made indirect;
  indirect.function("main",
                    {op(BPF_JMP | BPF_JA, 0, 0, 1), set(0), end, op(BPF_JMP | BPF_JA | BPF_X)});
  CHECK(indirect.reaches(1));
  Made outside;
  outside.function("main", {op(BPF_JMP | BPF_JA, 0, 0, 1), set(0), if_equal(1, 0, 100), end});
  CHECK(outside.reaches(1));
  Made inside;  // a call into the middle of a function
  inside.function("callee", {op(BPF_JMP | BPF_JA, 0, 0, 1), set(0), end}, text, STB_LOCAL);
  inside.function("main", {call_local(-1), end});
  inside.refer(0, inside.section_symbol(text), insn_size, R_BPF_64_32);
  CHECK(inside.reaches(1, text));
}

TEST_CASE("code that no program calls is unreachable") {
  Made made;
  made.function("alone", {set(0), end}, text);
  made.function("main", {end});
  CHECK_FALSE(made.reaches(0, text));
  CHECK(made.reach(0, text).programs.empty());
}

TEST_CASE("the walk through functions that call each other ends") {
  Made made;
  // Each call passes another number.
  made.function("a", {op(add, 1, 0, 0, 1), call_local(1), end}, text, STB_LOCAL);
  made.function("b", {op(add, 1, 0, 0, 1), call_local(-5), end}, text, STB_LOCAL);
  uint32_t first = 1;
  made.function("main", {set(1), call_local(-1), set(0), end});
  made.refer(1, first, 0, R_BPF_64_32);
  CHECK(made.reaches(4, text));
  CHECK_FALSE(made.reaches(2));  // neither returns
}

TEST_CASE("the work is proportional to the code") {
  constexpr int count = 100'000;
  Made jumps;  // a loop around it changes the known values in every block
  std::vector<Slot> slots = {set(6), set(7), set(8)};
  for (int i = 0; i < count; ++i) {
    auto reg = static_cast<uint8_t>(6 + i % 3);
    slots.push_back(op(add, reg, 0, 0, 1));
    slots.push_back(if_equal(reg, i, static_cast<int16_t>(i % 7 == 0 ? -20 : 1)));
  }
  slots.insert(slots.end(), {set(0), set(0), end});
  slots[4].off = slots[18].off = 1;
  jumps.function("main", slots);
  CHECK(jumps.reaches(0));

  Made calls;  // each with its own arguments
  calls.function("callee", {copy(0, 1), end}, text, STB_LOCAL);
  slots.clear();
  for (int i = 0; i < count; ++i) {
    slots.push_back(set(1, i));
    slots.push_back(call_local(-1));
    calls.refer(slots.size() - 1, 1, 0, R_BPF_64_32);
  }
  slots.push_back(end);
  calls.function("main", slots);
  CHECK(calls.reaches(slots.size() - 1));
}

}  // namespace bpflink
