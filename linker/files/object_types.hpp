// The second half of reading an object: its types, and how they describe its symbols and code.
#pragma once

#include <expected>
#include <vector>

#include "bpflink/error.hpp"
#include "linker/files/object_file.hpp"

namespace bpflink {

/// Reads and checks .BTF and .BTF.ext of an object whose sections, symbols and relocations have
/// been read, and lists its declarations. Errors name the type or record that is wrong.
std::expected<void, Error> read_object_types(ObjectFile& object, const ReadOptions& options = {});

/// Reads the types again after symbols, and their VARs and FUNCs in `blob`, were renamed. Type ids
/// and string offsets must not have changed.
std::expected<void, Error> read_renamed_types(ObjectFile& object, std::vector<std::byte> blob);

}  // namespace bpflink
