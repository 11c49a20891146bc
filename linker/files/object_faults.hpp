// Checks the written object as if it were an input, and more strictly (`--verify`).
#pragma once

#include <string>
#include <vector>

namespace bpflink {

struct ObjectFile;

/// The rules of a linked object that `object` breaks, a sentence each; empty if there are none. The
/// object must have been read with its DWARF. Reading already checks that relocations and records
/// of .BTF.ext are at instructions, func_info at the starts of functions, and that no two
/// relocations overlap. Beyond that
///
/// - local symbols come before global ones, and sh_info says where those begin; global symbols and
///   linked sections have unique names;
/// - a section has one relocation section, which names the symbol table;
/// - each DATASEC lists its variables in order, without overlap, inside its section, each variable
///   once; a global variable has a symbol with the same offset and size;
/// - the records of .BTF.ext ascend, with one block for each section; an instruction that holds a
///   local type id has the id of its record.
std::vector<std::string> find_faults(const ObjectFile& object);

}  // namespace bpflink
