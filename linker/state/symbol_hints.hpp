// Hints about an undefined symbol: what it may have been meant to be.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "linker/state/context.hpp"

namespace bpflink {

/// A symbol, and the first places that live code or data refers to it from.
struct SymbolUses {
  const Symbol* symbol = nullptr;
  std::vector<DiagnosticReference> references = {};
  size_t count = 0;
};

/// The uses of each symbol for which `is_wanted` is true.
std::vector<SymbolUses> find_uses(const Context& context, bool (*is_wanted)(const Symbol&));

/// How to refer to what kernels may have.
inline constexpr std::string_view ksym_advice =
    "if it is the kernel's kfunc or variable, declare it with __ksym";

/// The defined global symbol of which `name` may be a misspelling, or null.
const Symbol* find_nearest_definition(const Context& context, std::string_view name);

/// Hints from archives.
class ArchiveHints {
 public:
  /// Opens the archives in the directories of -L.
  explicit ArchiveHints(const Context& context);

  /// Hints at an input archive that is out of date or defines the symbol as C++, or at an archive
  /// in these directories that defines it but was not given.
  std::vector<std::string> find(const Symbol& symbol);

 private:
  /// Hints from an archive among the inputs.
  std::vector<std::string> find_in_input(const InputFile& archive, std::string_view name);
  /// Whether the object at `path` defines the symbol. Each is read once, whatever the number of
  /// symbols and of members that are copies of it.
  bool source_defines(const std::string& path, std::string_view name);

  struct Library {
    InputFile archive;
    std::unordered_set<std::string_view> index;  ///< what its members define; empty if it has none
  };

  const Context& context_;
  std::vector<Library> libraries_;
  std::map<std::string, std::set<std::string, std::less<>>> sources_;  ///< definitions, by path
};

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
