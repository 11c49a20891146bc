// What a link leaves out, for its reports.
#pragma once

#include <cstdint>
#include <string>

namespace bpflink {

/// What an input had and the output does not have.
struct DroppedPart {
  std::string file;
  std::string section;  ///< "" for DWARF, of all its sections together
  std::string name;     ///< of a definition, else ""
  std::string reason;
  uint64_t bytes = 0;
  std::string place = {};  ///< "main.o:(xdp+0x18) name"; "main.o" for DWARF
};

}  // namespace bpflink
