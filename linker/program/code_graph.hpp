// An object's functions as the verifier sees them: basic blocks, and the target of each relocated
// instruction. The graph is the same for every kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dedup/for_linker.hpp"
#include "linker/facts/insn.hpp"
#include "linker/files/object_file.hpp"

namespace bpflink {

/// The reference of an instruction.
struct CodeReference {
  enum class Kind : uint8_t {
    None,
    Call,      ///< a call of function `index`
    Callback,  ///< the address of function `index`
    Data,      ///< the address of byte `offset` of section `index`, .rodata or .rodata.*
    Kconfig,   ///< the address of the .kconfig extern with symbol `index`, plus `offset`
    Map,       ///< the address of the map with symbol `index`
    Ksym,      ///< the address, or a call, of what the extern with symbol `index` names
    Unknown,
  };
  Kind kind = Kind::None;
  uint32_t index = 0;
  int64_t offset = 0;

  /// Whether it leads to code of section `index` that no symbol covers.
  bool is_nameless_code() const { return kind == Kind::Unknown && index != 0; }
};

struct CodeInsn {
  Insn insn;
  int32_t high;  ///< the immediate of an ld_imm64's second slot
  uint64_t at;   ///< bytes into the section
  CodeReference reference;

  bool is_static_call() const { return reference.kind == CodeReference::Kind::Call; }
};

inline constexpr uint32_t no_block = UINT32_MAX, no_function = UINT32_MAX;

/// A basic block: only its first instruction is a jump target, and only its last one jumps or calls
/// a function of the object.
struct CodeBlock {
  uint32_t begin, end;         ///< indices in CodeGraph::insns
  uint32_t next = no_block;    ///< the following block, if control may continue there
  uint32_t target = no_block;  ///< the target of a jump
};

struct CodeFunction {
  std::string_view name;
  uint32_t section;
  uint64_t begin, end;  ///< bytes into the section
  /// A loader loads it on its own.
  bool is_program = false;
  /// The verifier checks it on its own, with unknown arguments, and does not use its result.
  bool is_global = false;
  /// A program names it as what handles its exceptions.
  bool is_exception_callback = false;
  /// Hidden: a loader makes it static.
  bool is_hidden = false;
  /// Its control flow cannot be followed: all of it counts as reached. Most opaque functions are
  /// one block.
  bool is_opaque = false;
  uint8_t parameters = 5;
  uint32_t declared_parameters = UINT32_MAX;  ///< in BTF; the most if that does not tell
  uint32_t func_id = 0;                       ///< its FUNC, or 0
  uint32_t first_block = 0, block_count = 0;
  uint32_t first_insn = 0, insn_count = 0;
};

/// A declared variable of a section.
struct CodeVariable {
  uint64_t begin, end;  ///< bytes into the section
  std::string_view name;
};

/// The declaration of an extern.
struct CodeExtern {
  uint32_t type;
  bool is_kconfig, is_function;
};

class CodeGraph {
 public:
  /// Finds the functions and what they refer to. `object` must outlive the graph.
  explicit CodeGraph(const ObjectFile& object);
  /// Finds what a walk needs besides: blocks, variables of .rodata, opaque functions.
  void find_blocks();

  const ObjectFile& object;
  std::vector<CodeFunction> functions;  ///< by section, then by offset
  std::vector<CodeInsn> insns;          ///< by function
  std::vector<CodeBlock> blocks;        ///< by function
  /// Which functions each function calls or takes the address of, and the reverse.
  Graph uses, users;
  /// By function: whether it is a program, or a loader appends it to one.
  std::vector<bool> is_loaded;

  std::span<const CodeInsn> insns_of(const CodeFunction& function) const {
    return std::span(insns).subspan(function.first_insn, function.insn_count);
  }
  /// The function that contains `offset`, or `no_function`.
  uint32_t find_function(uint32_t section, int64_t offset) const;
  /// The block of an instruction's slot, or `no_block`.
  uint32_t find_block(uint32_t section, uint64_t offset) const;
  /// The variable that contains byte `offset` of a section, or null.
  const CodeVariable* find_variable(uint32_t section, uint64_t offset) const;
  /// What BTF declares of an extern, or null.
  const CodeExtern* find_extern(const InputSymbol& symbol) const;

 private:
  void find_functions();
  void describe_functions();
  void split_overlaps();
  void decode(CodeFunction& function);
  void find_blocks(CodeFunction& function);
  void connect();
  void mark_loaded();
  void find_variables();
  CodeReference refer(const InputSection& section, const Relocation& relocation,
                      const Insn& insn) const;
  CodeReference refer_to_code(uint32_t section, int64_t offset, bool is_call) const;

  std::unordered_map<uint32_t, std::vector<CodeVariable>> variables_;  ///< by section
  std::unordered_map<std::string_view, CodeExtern> externs_;
  /// Edges without an instruction: exception callbacks, and code that runs into the next function.
  std::vector<std::pair<uint32_t, uint32_t>> hidden_uses_;
};

}  // namespace bpflink
