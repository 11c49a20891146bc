// Makes BTF of all units of a file's DWARF. Begin here.
//
// A unit of DWARF is a source file, as a tree of entries: types, functions, what is in functions. A
// table says which attributes an entry has (abbreviations.hpp), and a form how each is written
// (forms.hpp). Entries within functions are nearly all, and are skipped where that is possible.
//
// Workers take a unit at a time. Each walks the entries once and writes types in the words of BTF,
// without a tree; references become ids at the end of the unit (unit_types.cpp). Functions and
// variables are noted, with where their parameters are (unit_functions.cpp, locations.cpp). Units
// that refer to each other, as of dwz and link-time optimization, are read as one. Deduplication
// (edit/image_btf.cpp) joins them, and asks the symbol table which functions there are.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/error.hpp"
#include "dedup/dwarf/sections.hpp"
#include "dedup/dwarf/unit_types.hpp"

namespace bpflink {

/// The types of a file's units.
struct DwarfTypes {
  std::shared_ptr<DwarfStringPool> strings;  ///< must outlive the units and what is made of them
  std::vector<Btf> units;                    ///< those with types, in the order of the file
  std::vector<std::vector<ImageFunction>> functions;  ///< by unit, in order of ids
  DwarfOmissions omissions;
};

/// Opens the files that the entries of skeletons are in, and adds their sections to those that are
/// read.
using OpenSplitFiles = std::function<std::expected<void, Error>(std::span<const DwarfSkeleton>)>;

/// Reads all units, with as many threads as DedupOptions::threads says. The result does not depend
/// on the number. `files`, which is the file and its supplementary one, must outlive it. Errors: a
/// unit is malformed; there are too many bytes of strings; those of `open_split`.
std::expected<DwarfTypes, Error> read_dwarf(DwarfFiles& files, const DwarfWanted& wanted,
                                            unsigned threads, const OpenSplitFiles& open_split);

}  // namespace bpflink
