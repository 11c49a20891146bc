// Checks members against their struct or union.
//
// In a struct with kind_flag, the offset of a member also holds the width of a bit-field. In a
// struct without, a bit-field is a member whose INT has fewer bits than its bytes, or begins within
// them.
#include <algorithm>

#include "dedup/check/resolution.hpp"

namespace bpflink {
namespace {

/// The most bits that a kernel copies out of a struct: a bit-field and the bits before it in its
/// first byte.
constexpr uint64_t max_bits = 128;

/// The width that a kernel assumes of every enum in a struct with kind_flag.
constexpr uint32_t enum_bits = 32;

std::optional<BtfRule> check_bits(BtfType record, uint64_t offset, uint64_t bits) {
  uint64_t copied = bits + offset % 8;
  if (copied > max_bits) return BtfRule::BitFieldSize;
  if (offset > UINT32_MAX || offset / 8 + (copied + 7) / 8 > record.size())
    return BtfRule::MemberEnd;
  return std::nullopt;
}

std::optional<BtfRule> check_bytes(BtfType record, uint32_t offset, uint32_t size) {
  if (offset % 8 != 0) return BtfRule::MemberByte;
  if (uint64_t{offset / 8} + size > record.size()) return BtfRule::MemberEnd;
  return std::nullopt;
}

/// Checks the alignment that every machine requires.
std::optional<BtfRule> check_float(BtfType record, uint32_t offset, uint32_t size) {
  uint64_t alignment = 8 * std::min<uint64_t>(size, 8);
  if (alignment != 0 && offset % alignment != 0) return BtfRule::MemberAlignment;
  return check_bytes(record, offset, size);
}

/// Checks an INT or enum, which may be a bit-field, in a struct with kind_flag.
std::optional<BtfRule> check_flagged(BtfType record, uint32_t offset, uint32_t width,
                                     BtfType type) {
  bool is_int = type.kind() == BtfKind::Int;
  if (is_int && !is_regular_int(type)) return BtfRule::BitFieldType;
  uint32_t bits = is_int ? type.int_bits() : enum_bits;
  if (width == 0 && offset % 8 != 0) return is_int ? BtfRule::BitFieldByte : BtfRule::MemberByte;
  if (width > bits) return BtfRule::BitFieldSize;
  return check_bits(record, offset, width == 0 ? bits : width);
}

}  // namespace

bool is_regular_int(BtfType type) {
  uint32_t bits = type.int_bits();
  return type.int_offset() == 0 &&
         (bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128);
}

std::optional<BtfRule> check_member(BtfType record, uint32_t index, BtfType type,
                                    SizedType member) {
  uint32_t offset = record.member_bit_offset(index);
  uint32_t width = record.member_bitfield_size(index);
  BtfKind kind = type.kind();
  bool may_be_bit_field = kind == BtfKind::Int || is_enum(kind);
  if (record.kind_flag() && may_be_bit_field) return check_flagged(record, offset, width, type);
  if (width != 0) return BtfRule::BitFieldSize;
  if (kind == BtfKind::Int)
    return check_bits(record, uint64_t{offset} + type.int_offset(), type.int_bits());
  if (kind == BtfKind::Float) return check_float(record, offset, member.size);
  return check_bytes(record, offset, member.size);
}

}  // namespace bpflink
