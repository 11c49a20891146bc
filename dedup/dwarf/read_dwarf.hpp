// Makes BTF of all units of a file's DWARF.
#pragma once

#include <expected>
#include <memory>
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

/// Reads all units, with as many threads as DedupOptions::threads says. The result does not depend
/// on the number. Errors: a unit is malformed; there are too many bytes of strings.
std::expected<DwarfTypes, Error> read_dwarf(const DwarfSections& sections,
                                            const DwarfWanted& wanted, unsigned threads);

}  // namespace bpflink
