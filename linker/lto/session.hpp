// LLVM at work on the modules of a request: reading, passes, code, and what there is to say.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "linker/lto/assembly.hpp"
#include "linker/lto/ir.hpp"
#include "linker/lto/protocol.hpp"

namespace bpflink::lto {

/// main.cpp: answers with a part.
void answer(const Part& part);

/// What code is compiled for: as for the options -mcpu and -mattr.
struct Cpu {
  std::string name, features;
  uint64_t module = 0;  ///< that says so
};

class Session {
 public:
  Session(const Llvm& llvm, const Request& request);

  /// Begins anew, with a context of its own. Those of before are never freed, nor what else takes
  /// little memory: the process ends with its work.
  void start();

  void warn(std::string_view text) const { answer({PartKind::Warning, index, text}); }
  void report(std::string_view text);
  /// Whether an error was reported since the start.
  bool failed() const { return failed_; }

  /// A processor that counts if no module names another one.
  const char* yielding_cpu() const { return options.for_rustc ? "generic" : ""; }

  /// Reads the module `index`. Null after an error.
  LlvmModule read();
  bool run_passes(LlvmModule module, const std::string& passes);
  /// Makes code. Null after an error.
  Buffer generate(LlvmModule module, FileType type);
  void emit(LlvmModule module, LinkOptions::Emit what);
  /// Answers with bitcode.
  void show(PartKind kind, LlvmModule module) const {
    answer_with(kind, llvm.WriteBitcodeToMemoryBuffer(module));
  }

  const Llvm& llvm;
  const Request& request;
  const LinkOptions& options;  ///< of the request
  Ir ir{llvm, nullptr};
  uint64_t index = 0;       ///< of the module at work
  bool is_foreign = false;  ///< whether that was for another machine
  std::optional<Cpu> cpu;   ///< of the modules, once one says it
  Assembly assembly;
  std::set<std::string> named_by_assembly;  ///< in any module
  /// Built-in functions that the modules define, and that code generation has called
  std::set<std::string, std::less<>> defined_built_ins, called_built_ins;

 private:
  void handle(DiagnosticInfo info);
  Buffer open() const;
  [[noreturn]] void explain_unreadable(std::string_view reason);
  bool is_call_of_built_in(std::string_view message);
  bool make_bpf(LlvmModule module);
  Machine make_machine(LlvmModule module);
  void answer_with(PartKind kind, Buffer buffer) const;

  static Session* reading_;  ///< while LLVM may end the process
  bool failed_ = false;
};

}  // namespace bpflink::lto
