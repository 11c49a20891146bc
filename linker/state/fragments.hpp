// Fragments of input sections, and where they are in the output.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "linker/files/object_file.hpp"

namespace bpflink {

/// The fragment that contains `offset`, or the nearest one.
Fragment& fragment_at(InputSection& section, int64_t offset);
const Fragment& fragment_at(const InputSection& section, int64_t offset);

/// Whether the output has some of a section.
bool is_live(const InputSection& section);
/// Whether the output has what is at `offset` of a section, which must be linked.
bool is_live(const InputSection& section, uint64_t offset);
/// Whether the output has the definition that a symbol is of, in a section that is linked.
bool is_live(const ObjectFile& object, const InputSymbol& symbol);

/// A place in the output.
struct OutputPlace {
  OutputSection* section;
  uint64_t offset;  ///< bytes into it
};

/// The output place of `offset` in an input section; nothing if it was dropped. Everything that
/// points into a section goes through this function. An offset outside of the section moves with
/// its nearest end. Valid after lay_out_sections().
std::optional<OutputPlace> place_of(const InputSection& section, uint64_t offset);

/// The same for a pointer, which may also point just behind an object: if the fragment that begins
/// at `offset` was dropped, the result is the end of the fragment before it.
std::optional<OutputPlace> place_of_pointer(InputPlace target);

}  // namespace bpflink
