// Where the source declares an object's variables, maps and functions, according to its DWARF.
//
// BTF has source lines of instructions only. DWARF has the line of each declaration, unless it was
// stripped. It is read when a message needs it, and never makes a link fail: if it is not valid
// DWARF 2 to 5, or larger than any compiler writes, the lines are unknown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bpflink {

struct ObjectFile;

struct SourceLine {
  std::string file;
  uint32_t line = 0;  ///< 1 for the first, 0 if unknown

  bool operator==(const SourceLine&) const = default;
};

struct SourceLines {
  /// Where each variable and function is defined or, if it is not, declared; the names are views of
  /// the object's bytes. Static ones of the same name in several sources have no line.
  std::unordered_map<std::string_view, SourceLine> by_name;
  std::vector<std::string> files;  ///< all sources and headers
};

SourceLines read_dwarf_lines(const ObjectFile& object);

}  // namespace bpflink
