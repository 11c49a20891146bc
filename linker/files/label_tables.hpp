// Tables of `goto *table[i]`, which clang 24 leaves in variables.
#pragma once

#include <cstdint>

#include "linker/files/references.hpp"
#include "linker/files/symbols_by_place.hpp"

namespace bpflink {

/// Whether a pointer in data is the address of a label: it points into a function.
inline bool points_to_label(const ObjectFile& object, const Relocation& relocation) {
  InputPlace place = target_of(object, relocation).place;
  if (!place.section || !place.section->is_code() || place.offset < 0) return false;
  auto offset = static_cast<uint64_t>(place.offset);
  const InputSymbol* function = object.by_place().find_function(place.section->index, offset);
  return function && function->value != offset;
}

}  // namespace bpflink
