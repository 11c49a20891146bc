// Where C would put the members of a struct or union, and what it takes to have them where the BTF
// says.
#pragma once

#include <cstdint>
#include <vector>

#include "bpflink/btf.hpp"

namespace bpflink {

/// What C can do with a type.
enum class CForm : uint8_t {
  none,          ///< void, and what is no type
  incomplete,    ///< declared only
  function,      ///< only to be called, or pointed to
  code_pointer,  ///< a pointer to such
  pointer,
  integer,  ///< an enum, too
  boolean,
  array,
  record,
  opaque,  ///< any other object
};

/// What is known of a type as C will have it. Where targets differ in a scalar's alignment there
/// are two alignments, and a layout has to be right with both.
struct CShape {
  uint64_t size = 0;            ///< bytes
  uint32_t record = 0;          ///< the id of the struct or union that is meant, through typedefs
  uint8_t least_alignment = 1;  ///< bytes
  uint8_t most_alignment = 1;   ///< bytes
  CForm form = CForm::none;

  /// Whether it can be a member or an element.
  bool is_object() const { return form > CForm::function; }
};

/// A member as it is printed.
struct CMember {
  uint32_t index = 0;     ///< in the BTF
  uint64_t offset = 0;    ///< bits
  uint64_t size = 0;      ///< bits
  uint32_t width = 0;     ///< bits, of a bit-field; else 0
  uint32_t stand_in = 0;  ///< bytes of an unsigned integer to print for a type that does not fit
  bool is_empty = false;  ///< takes no room: its type is none that an object can have
  uint64_t padding = 0;   ///< bits before it that C would not leave by itself
  uint8_t least_alignment = 1;
  uint8_t most_alignment = 1;
};

/// Members that are laid out one behind the other.
struct CLane {
  std::vector<CMember> members;
  uint64_t padding = 0;  ///< bits behind the last member that C would not leave by itself
};

/// How a struct or union is printed.
struct CPlan {
  /// One; or, where members of a struct overlap, or members of a union do not begin where it
  /// begins, several that share the same place.
  std::vector<CLane> lanes;
  bool is_packed = false;
  uint8_t least_alignment = 1;
  uint8_t most_alignment = 1;
};

/// The shape of a type, whose parts' shapes are in `shapes` already. With pointers, and `long`, of
/// `long_size` bytes.
CShape shape_of(const BtfView& btf, uint32_t id, const std::vector<CShape>& shapes,
                uint32_t long_size);

/// How many elements an array is given: its own number, unless it would be larger than any object
/// can be.
uint32_t printed_length(BtfType array, const std::vector<CShape>& shapes);

/// Lays out a struct or union. `shapes` has that of each type by id.
CPlan plan_layout(const BtfView& btf, BtfType type, const std::vector<CShape>& shapes);

/// Whether the members of a plan are in lanes that have to be shown as such.
inline bool has_lanes(const CPlan& plan) {
  return plan.lanes.size() > 1;
}

}  // namespace bpflink
