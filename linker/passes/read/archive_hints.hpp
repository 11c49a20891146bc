// Hints from archives on an undefined symbol.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "linker/context.hpp"

namespace bpflink {

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

}  // namespace bpflink
