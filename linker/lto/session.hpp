// LLVM at work on the modules of a request.
//
// A module is a file of bitcode in LLVM's memory: functions, variables, and the debug information
// that BTF is made of. Only modules of one LLVM context can be joined, so a session has one, and
// keeps what one step has to tell a later one. What LLVM says of the module at work becomes a part
// of the answer. All steps are at the end of this file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// Finds which `asm()` of a source LLVM could not assemble. Its message has no more than the line
/// of assembly, "r77 = 2", after operands were filled in. So each call is kept as patterns of its
/// lines, in which an operand is anything.
class Assembly {
 public:
  /// Adds a call in a module, with what names_in_assembly() has of it.
  void add(const Ir& ir, uint64_t module, Value call, std::string_view printed);

  /// The module and the text of a message of LLVM's about a module. If that is about inline
  /// assembly that was added, "a.c:3:5: in function f, 'CODE': ...". Each call is named before one
  /// is again.
  std::pair<uint64_t, std::string> locate(uint64_t module, std::string_view text);

 private:
  struct Call {
    uint64_t module;
    std::string place, function;
    std::vector<std::string> lines;  ///< patterns of them
    bool is_reported = false;
  };

  std::vector<Call> calls_;
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
  /// Answers with a module as a step has left it.
  void show(PartKind kind, LlvmModule module) const;

  const Llvm& llvm;
  const Request& request;
  const LinkOptions& options;  ///< of the request
  Ir ir{llvm, nullptr};
  uint64_t index = 0;       ///< of the module at work
  bool is_foreign = false;  ///< whether that was for another machine
  std::optional<Cpu> cpu;   ///< of the modules, once one says it
  Assembly assembly;
  std::set<std::string> named_by_assembly;  ///< in any module
  /// The names of static ones before joining, where other modules have them as well.
  std::map<std::string, std::string> old_names;
  /// Built-in functions that the modules define, and that code generation has called
  std::set<std::string, std::less<>> defined_built_ins, called_built_ins;

 private:
  void handle(DiagnosticInfo info);
  Buffer open() const;
  [[noreturn]] void explain_unreadable(std::string_view reason);
  bool is_call_of_built_in(std::string_view message);
  bool make_bpf(LlvmModule module);
  Machine machine_for(LlvmModule module);
  void answer_with(PartKind kind, Buffer buffer) const;

  static Session* reading_;                  ///< while LLVM may end the process
  std::map<std::string, Machine> machines_;  ///< by what they are for
  bool failed_ = false;
};

// The steps, each in a file

/// outline.cpp: makes a module that has all that other files may see of this one, and none of its
/// code: its object has the symbols and types that a compiler would give it, whatever the backend
/// refuses.
LlvmModule make_outline(const Ir& ir, LlvmModule module);

/// join.cpp: joins the modules of the request to one. Null after an error.
LlvmModule join(Session& session);

/// optimize.cpp: makes one program of the joined module. Null after an error.
LlvmModule optimize(Session& session, LlvmModule joined);

/// mend_debug_info.cpp: mends debug information of Rust that LLVM cannot make types of, and gives
/// it names for kernels where the request says so.
LlvmModule mend_debug_info(const Session& session, LlvmModule module);

}  // namespace bpflink::lto
