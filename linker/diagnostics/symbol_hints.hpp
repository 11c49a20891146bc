// What may have been meant by a symbol that nobody defines.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
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
  /// The running kernel's functions and variables, once a name was asked for.
  bool has_looked_ = false;
  InputFile kernel_;
  std::unordered_set<std::string_view> kernel_names_;
};

}  // namespace bpflink
