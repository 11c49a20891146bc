// The qualifiers of a variable's type.
#pragma once

#include <cstdint>

#include "bpflink/btf.hpp"

namespace bpflink {

struct Qualifiers {
  bool is_const = false, is_volatile = false;
};

/// Those of a variable of this type or, if it is an array, of its elements. The number of steps is
/// bounded because types of an input may refer to themselves.
inline Qualifiers qualifiers_of(const BtfView& types, uint32_t id) {
  constexpr int max_steps = 64;
  Qualifiers found;
  for (int step = 0; id != 0 && step < max_steps; ++step) {
    BtfType type = types.type(id);
    found.is_const |= type.kind() == BtfKind::Const;
    found.is_volatile |= type.kind() == BtfKind::Volatile;
    bool is_array = type.kind() == BtfKind::Array;
    if (!is_array && !is_modifier(type.kind())) break;
    id = is_array ? type.array_element_type() : type.type();
  }
  return found;
}

}  // namespace bpflink
