// Places in inputs as the fields of a diagnostic.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bpflink/diagnostic.hpp"
#include "linker/elf/object_file.hpp"

namespace bpflink {

/// The byte at `offset` of a section, with the source line where line_info
/// knows it, and the column of `name` where that is in the line.
DiagnosticLocation location_of(const ObjectFile& object, const InputSection& section,
                               uint64_t offset, std::string_view name = {});

/// Where a symbol is defined, or else declared, with the source line where line_info or DWARF
/// know it.
DiagnosticLocation location_of(const ObjectFile& object, const InputSymbol& symbol);

/// "main.bpf.c:42", where a symbol is defined or declared, as far as line_info or DWARF know it.
std::optional<std::string> source_line(const ObjectFile& object, const InputSymbol& symbol);

/// "defined in main.bpf.c:42 (main.o)", or as far as that is known; "declared in main.o".
std::string describe_symbol(const ObjectFile& object, const InputSymbol& symbol);

}  // namespace bpflink
