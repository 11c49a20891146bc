// Tests the reachability analysis against the kernel's verifier: does the verifier reach code that
// the analysis calls unreachable?
//
//     bpf_guards [COUNT [FIRST_SEED]]
//
// For each seed it makes a random program, see random_code.hpp. It overwrites the unreachable code
// with the call by which libbpf poisons an instruction, and loads the program. The verifier must
// accept it if it accepted the original. A second run changes the variables that the analysis did
// not name as assumptions.
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
#include <set>
#include <string>
#include <vector>

#include "linker/program/code_graph.hpp"
#include "linker/program/reachability.hpp"
#include "random_code.hpp"
#include "tests/unit/made_object.hpp"

namespace {

using namespace bpflink;
using namespace bpflink::test;

constexpr int exit_skipped = 77;
constexpr int32_t poison = 195896080;
constexpr int wide = 0x18;

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
    RandomProgram program = make_random_program(seed);
    auto begin = std::chrono::steady_clock::now();
    std::string refused = kernel_.load(program, program.rodata, {});
    ++programs_;
    // The verifier takes seconds for some.
    if (std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(20)) return true;
    if (!refused.empty()) {
      if (std::getenv("GUARDS_VERBOSE")) std::printf("%s\n", refused.c_str());
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
                static_cast<unsigned long long>(seed), refused.c_str());
    return false;
  }

  /// With other variables the verifier may refuse the program for code that it now reaches.
  bool expect_not_poisoned(uint64_t seed, const RandomProgram& program, const Bytes& rodata,
                           const std::vector<bool>& is_poisoned) {
    std::string refused = kernel_.load(program, rodata, is_poisoned);
    if (refused.find(std::to_string(poison)) == std::string::npos) return true;
    std::printf("FAIL: seed %llu: with other variables the verifier gets there:\n%s\n",
                static_cast<unsigned long long>(seed), refused.c_str());
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
