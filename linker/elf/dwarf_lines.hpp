// Where an object's variables, maps and functions are declared in the source, as its DWARF has it.
//
// BTF has the lines of instructions only. DWARF, where the input was not stripped of it, has the
// line of each declaration. It is read when a message needs it, and no link fails for its sake:
// where it is not what DWARF 2 to 5 are, or more than a compiler writes, lines are not known.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace bpflink {

struct ObjectFile;

struct SourceLine {
  std::string file;
  uint32_t line = 0;  ///< 1 for the first
};

/// By names, which are views of the object's bytes.
using SourceLines = std::unordered_map<std::string_view, SourceLine>;

/// Where each variable and function that other objects may name is defined or, if it is not,
/// declared.
SourceLines read_dwarf_lines(const ObjectFile& object);

}  // namespace bpflink
