// Places in inputs as the fields of a diagnostic.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/diagnostic.hpp"
#include "linker/files/object_file.hpp"

namespace bpflink {

/// The first place at or after `from` where `name` stands as a word, or npos.
size_t find_word(std::string_view text, std::string_view name, size_t from = 0);

/// The byte at `offset` of a section, with its source line if line_info has it, and the column of
/// `name` if that line contains it.
DiagnosticLocation location_of(const ObjectFile& object, const InputSection& section,
                               uint64_t offset, std::string_view name = {});

/// Where a symbol is defined, or else declared, with the source line if line_info or DWARF has it.
DiagnosticLocation location_of(const ObjectFile& object, const InputSymbol& symbol);

/// For objects that disagree: puts first which of them are older than a source or header that their
/// DWARF names.
void add_stale_hints(std::vector<DiagnosticReference>& references,
                     std::initializer_list<const ObjectFile*> objects);

/// A symbol as definition or declaration, with its C type if given.
DiagnosticReference reference_to(const ObjectFile& object, const InputSymbol& symbol,
                                 std::string type = {});

}  // namespace bpflink
