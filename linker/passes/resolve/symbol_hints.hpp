// Hints about an undefined symbol: what it may have been meant to be.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linker/context.hpp"
#include "linker/passes/read/archive_hints.hpp"

namespace bpflink {

/// How to refer to what kernels may have.
inline constexpr std::string_view ksym_advice =
    "if it is the kernel's kfunc or variable, declare it with __ksym";

/// The defined global symbol of which `name` may be a misspelling, or null.
const Symbol* find_nearest_definition(const Context& context, std::string_view name);

class SymbolHints {
 public:
  explicit SymbolHints(const Context& context) : context_(context) {}

  /// Hints for a message about `symbol`: a static symbol of that name in another object, how to
  /// declare a symbol of the loader or the kernel, a demangled name of C++ or Rust, an archive that
  /// defines it but was not given, or a defined symbol with a similar name.
  std::vector<std::string> find(const Symbol& symbol);

 private:
  const Context& context_;
  std::optional<ArchiveHints> archives_;  ///< opened on first use
};

}  // namespace bpflink
