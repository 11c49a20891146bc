// Renames symbols, like objcopy, together with the VARs and FUNCs that declare them.
//
// A name is redefined first, then prefixed. Names in .ksyms and .kconfig stay, because the loader
// looks them up. The names of sections, source files and labels are not part of the program and
// stay. An input's prefix applies to its definitions, and to its references to definitions of
// inputs with the same prefix. So a library of several files stays whole, and still finds the
// definitions that it expects of other inputs.
#pragma once

#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bpflink/linker.hpp"
#include "linker/files/object_file.hpp"

namespace bpflink {

/// Parses an option's two names: OLD=NEW, or FILE=PREFIX, where the path may contain `=`. Nothing
/// if one is missing.
std::optional<std::pair<std::string, std::string>> parse_redefinition(const std::string& text);
std::optional<std::pair<std::string, std::string>> parse_prefix(const std::string& text);

class Renaming {
 public:
  /// `options` must outlive it.
  explicit Renaming(const LinkOptions& options);

  bool is_idle() const;
  /// The prefix for the next input of that name: the first call returns the first prefix, and so
  /// on.
  std::string_view next_prefix(const std::string& input);
  /// Records the definitions of an input with that prefix. Call this for all inputs before
  /// rename().
  void learn(const ObjectFile& object, std::string_view prefix);
  /// Renames the symbols of an object. Errors: its types cannot be read with their new names.
  std::expected<void, Error> rename(ObjectFile& object, std::string_view prefix);
  /// Errors for options that name an input that does not exist.
  std::vector<std::string> find_errors() const;
  /// Warnings for options that renamed nothing.
  std::vector<std::string> find_warnings() const;

 private:
  struct Redefinition {
    std::string_view name;
    bool is_used = false;
    bool is_of_loader = false;
  };
  struct Prefixes {
    std::vector<std::string_view> list;
    size_t taken = 0;
  };

  std::optional<std::string> new_name(std::string_view name, bool is_defined,
                                      std::string_view prefix);
  void note_loader_name(std::string_view name);

  const LinkOptions& options_;
  std::unordered_map<std::string_view, Redefinition> redefinitions_;
  std::map<std::string_view, Prefixes> prefixes_;  ///< by input
  /// The definitions of inputs with a prefix, by prefix.
  std::map<std::string_view, std::unordered_set<std::string>> defined_;
};

}  // namespace bpflink
