// Fragments of input sections, and where they are in the output.
#pragma once

#include <cstdint>
#include <optional>

#include "linker/elf/object_file.hpp"

namespace bpflink {

/// The fragment that `offset` stands in, or the nearest one.
Fragment& fragment_at(InputSection& section, int64_t offset);
const Fragment& fragment_at(const InputSection& section, int64_t offset);

/// A place in the output.
struct OutputPlace {
  OutputSection* section;
  uint64_t offset;  ///< bytes into it
};

/// What stands at `offset` of an input section in the output: the one function
/// through which everything that points into a section goes. Nothing where it
/// was dropped. An offset outside of the section moves with its nearest end.
/// Known after lay_out_sections().
std::optional<OutputPlace> place_of(const InputSection& section, uint64_t offset);

/// The same for a pointer, which may also stand just behind an object: where
/// what begins at `offset` was dropped, it is the end of what was before it.
std::optional<OutputPlace> place_of_pointer(const InputSection& section, int64_t offset);

}  // namespace bpflink
