// The second half of reading an object: its types, and what they say of its symbols and code.
#pragma once

#include <expected>

#include "bpflink/error.hpp"
#include "linker/elf/object_file.hpp"

namespace bpflink {

/// Reads and checks .BTF and .BTF.ext of an object whose sections, symbols and relocations have
/// been read, and lists its declarations. Errors name the type or record that is wrong.
std::expected<void, Error> read_object_types(ObjectFile& object);

}  // namespace bpflink
