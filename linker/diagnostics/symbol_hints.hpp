// Hints on what an undefined symbol was meant to be.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linker/context.hpp"

namespace bpflink {

/// The defined global symbol of which `name` may be a misspelling, or null.
const Symbol* find_nearest_definition(const Context& context, std::string_view name);

class SymbolHints {
 public:
  explicit SymbolHints(const Context& context) : context_(context) {}

  /// What a message on `symbol` can advise: a static symbol of that name in another
  /// object, how to declare what the loader or the kernel has, what a name of C++ or Rust says,
  /// an archive that has it and was not given, or a defined name that is spelled almost
  /// alike. Nothing where none of these is known.
  std::vector<std::string> find(const Symbol& symbol);

 private:
  bool is_in_kernel(std::string_view name);

  const Context& context_;
  std::optional<InputFile> kernel_;  ///< the running kernel's BTF, once a name was asked for
};

}  // namespace bpflink
