// Hints from archives on an undefined symbol.
#pragma once

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
  std::vector<std::string> find(const Symbol& symbol) const;

 private:
  struct Library {
    InputFile archive;
    std::unordered_set<std::string_view> index;  ///< what its members define; empty if it has none
  };

  const Context& context_;
  std::vector<Library> libraries_;
};

}  // namespace bpflink
