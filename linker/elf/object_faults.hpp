// Checks the written object as if it were an input, and more strictly (`--verify`).
#pragma once

#include <string>
#include <vector>

namespace bpflink {

struct ObjectFile;

/// What breaks a rule that a linked object obeys, each as a sentence; empty where
/// all is well. The object was read with its DWARF, which means already
/// that relocations and records of .BTF.ext stand at instructions, func_info at
/// the starts of functions, and that no two relocations share bytes. Beyond that
///
/// - local symbols come before global ones, and sh_info says where those begin;
///   global symbols and linked sections have names of their own;
/// - a section has one relocation section, which names the symbol table;
/// - each DATASEC lists its variables in order, without overlap, inside its
///   section and each variable once; a global variable has a symbol that says
///   the same;
/// - the records of .BTF.ext ascend, with one block a section; an instruction
///   that holds a local type id has that of its record.
std::vector<std::string> find_faults(const ObjectFile& object);

}  // namespace bpflink
