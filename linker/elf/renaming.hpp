// Renames symbols, like objcopy, together with the VARs and FUNCs that declare them.
//
// A name is redefined first, then prefixed. Names in .ksyms and .kconfig stay, because the loader
// looks them up. So do the names of sections, source files and labels, which are not part of the
// program. The prefix of an input applies to its definitions, and to its references to definitions
// of inputs with the same prefix. So a library of several files stays whole, and what it expects of
// other inputs is still found.
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
#include "linker/elf/object_file.hpp"

namespace bpflink {

/// Two names as an option has them: of OLD=NEW, and of FILE=PREFIX, where the path may have `=` in
/// it; nothing where one is missing.
std::optional<std::pair<std::string, std::string>> parse_redefinition(const std::string& text);
std::optional<std::pair<std::string, std::string>> parse_prefix(const std::string& text);

class Renaming {
 public:
  /// `options` must outlive it.
  explicit Renaming(const LinkOptions& options);

  bool is_idle() const;
  /// The prefix for the next input of that name: the first for its first occurrence, and so on.
  std::string_view take_prefix(const std::string& input);
  /// Notes what an input of that prefix defines. To be done for all before rename().
  void learn(const ObjectFile& object, std::string_view prefix);
  /// Renames what is to be renamed in an object. Errors: its types cannot be read with their
  /// new names.
  std::expected<void, Error> rename(ObjectFile& object, std::string_view prefix);
  /// What is wrong with options that met nothing: an input that is not there.
  std::vector<std::string> find_errors() const;
  /// What options that renamed nothing should have renamed.
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
  /// What inputs of a prefix define, by prefix.
  std::map<std::string_view, std::unordered_set<std::string>> defined_;
};

}  // namespace bpflink
