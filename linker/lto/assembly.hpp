// Inline assembly that LLVM cannot assemble: which call of a source it is of. LLVM tells a line of
// the assembly alone, with operands in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linker/lto/ir.hpp"

namespace bpflink::lto {

class Assembly {
 public:
  /// Adds a call in a module, with what for_each_assembly() has of it.
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

}  // namespace bpflink::lto
