// What the inputs had and the output has not, and why.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "linker/context.hpp"

namespace bpflink {

/// Something that was dropped.
struct Dropped {
  const ObjectFile* object;
  std::string_view section;  ///< "" for DWARF, of all its sections together
  uint64_t offset;           ///< bytes into the section
  std::string_view name;     ///< of a definition, else ""
  uint64_t bytes;
  std::string reason;

  std::string describe() const;
};

/// Sections, definitions and what no root reaches, in the order of --Map.
std::vector<Dropped> find_dropped(const Context& context);

/// A section of strings and the bytes of those that an earlier input has, too.
std::vector<Dropped> find_merged_strings(const Context& context);

}  // namespace bpflink
