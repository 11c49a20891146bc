// Plans how to print a struct or union so that C puts its members at the offsets in the BTF.
#pragma once

#include <cstdint>
#include <vector>

#include "bpflink/btf.hpp"

namespace bpflink {

/// What a type is in C.
enum class CForm : uint8_t {
  None,        ///< void, or no type
  Incomplete,  ///< only declared
  Function,
  CodePointer,  ///< a pointer to a function
  Pointer,
  Integer,  ///< or an enum
  Boolean,
  Array,
  Record,
  Bytes,  ///< any other object
};

/// The size and alignment that a type has in C. If targets differ in a scalar's alignment, the two
/// alignments differ, and a struct must be printed so that it is right with both.
struct CLayout {
  uint64_t size = 0;          ///< bytes
  uint32_t record = 0;        ///< the id of the struct or union that it is, without typedefs
  uint8_t min_alignment = 1;  ///< bytes
  uint8_t max_alignment = 1;  ///< bytes
  CForm form = CForm::None;

  /// Whether it can be a member or an element.
  bool is_object() const { return form > CForm::Function; }
};

/// A member as it is printed.
struct CMember {
  uint32_t index = 0;     ///< in the BTF
  uint64_t offset = 0;    ///< bits
  uint64_t size = 0;      ///< bits
  uint32_t width = 0;     ///< bits of a bit-field, otherwise 0
  uint32_t stand_in = 0;  ///< bytes of the unsigned integer that replaces a type that does not fit
  bool is_empty = false;  ///< printed as an empty struct, because no object can have its type
  uint64_t padding = 0;   ///< bits of padding to print before it
  uint8_t min_alignment = 1;
  uint8_t max_alignment = 1;
};

/// Members that follow each other without overlap. In a union printed in one lane, they all begin
/// at its start.
struct CLane {
  std::vector<CMember> members;
  uint64_t padding = 0;  ///< bits of padding to print after the last member
};

/// How a struct or union is printed.
struct CPlan {
  /// One; or several that overlap, if members of a struct overlap or members of a union do not
  /// begin at its start.
  std::vector<CLane> lanes;
  bool is_packed = false;
  uint8_t min_alignment = 1;
  uint8_t max_alignment = 1;
};

/// The place of a member, in bits. `width` is that of a bit-field, otherwise 0.
struct MemberBits {
  uint64_t offset;
  uint32_t width;
};
MemberBits member_bits(const BtfView& btf, BtfType record, uint32_t i);

/// The layout of a type. `layouts` has those of the types that it contains. Pointers and `long`
/// have `long_size` bytes.
CLayout c_layout_of(const BtfView& btf, uint32_t id, const std::vector<CLayout>& layouts,
                    uint32_t long_size);

/// The number of elements that an array is printed with: its own, or 0 if it would be larger than
/// compilers accept.
uint32_t printed_length(BtfType array, const std::vector<CLayout>& layouts);

/// Plans a struct or union. `layouts` is by type id.
CPlan plan_layout(const BtfView& btf, BtfType type, const std::vector<CLayout>& layouts);

/// Whether the lanes of a plan are printed as structs of a union.
inline bool has_lanes(const CPlan& plan) {
  return plan.lanes.size() > 1;
}

}  // namespace bpflink
