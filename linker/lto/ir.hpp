// What all steps ask of LLVM's modules, and change in them.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "linker/lto/llvm.hpp"

namespace bpflink::lto {

/// What LLVM prints in quotation marks: "\22" is one, and "\\" a backslash.
std::string unescaped(std::string_view text);

struct Ir {
  const Llvm& llvm;
  Context context;

  /// Calls visit(function, variable or alias) for all; it may delete that one.
  template <typename Visit>
  void for_each_global(LlvmModule module, Visit visit) const {
    auto run = [&](Value value, auto next) {
      while (value) {
        Value following = next(value);
        visit(value);
        value = following;
      }
    };
    run(llvm.GetFirstFunction(module), llvm.GetNextFunction);
    run(llvm.GetFirstGlobal(module), llvm.GetNextGlobal);
    run(llvm.GetFirstGlobalAlias(module), llvm.GetNextGlobalAlias);
  }

  template <typename Visit>
  void for_each_function(LlvmModule module, Visit visit) const {
    for (Value f = llvm.GetFirstFunction(module); f; f = llvm.GetNextFunction(f)) visit(f);
  }

  template <typename Visit>
  void for_each_instruction(Value function, Visit visit) const {
    for (Block b = llvm.GetFirstBasicBlock(function); b; b = llvm.GetNextBasicBlock(b))
      for (Value i = llvm.GetFirstInstruction(b); i; i = llvm.GetNextInstruction(i)) visit(i);
  }

  /// The global of that name, or null.
  Value find(LlvmModule module, std::string_view symbol) const;
  std::string name_of(Value value) const;
  void rename(Value value, const std::string& name) const {
    llvm.SetValueName2(value, name.data(), name.size());
  }
  std::string section_of(Value global) const;
  std::string print(Value value) const;
  /// The place of an instruction or function in the source: "a.c:3:5: ". "" if none is known.
  std::string place_of(Value value) const;
  bool is_local(Value global) const;
  std::string attribute(Value function, std::string_view name) const;

  void make_internal(Value value) const;
  /// Copies linkage, visibility, section and constancy.
  void copy_properties(Value from, Value to) const;
  /// Makes a function or variable of that type.
  Value add_global(LlvmModule module, const std::string& name, Type type) const;

  /// The operands of a node of metadata.
  std::vector<Value> operands(Value node) const;
  /// One of them; null if there is none.
  Value operand(Value node, size_t index) const;
  /// A text in metadata; "" for other nodes and null.
  std::string_view text(Value node) const;
  std::vector<Value> named_metadata(LlvmModule module, const char* name) const;
  /// The description of a function or variable in debug information, or null.
  Metadata description_of(Value global) const;

  /// What assembly of the module calls, or loads the address of: "call NAME" and "r1 = NAME ll".
  /// Calls visit(call, text) for that in functions: "void asm "r1 = 5\0Acall there", "=r"".
  std::set<std::string> names_in_assembly(
      LlvmModule module,
      const std::function<void(Value call, std::string_view text)>& visit = {}) const;
};

}  // namespace bpflink::lto
