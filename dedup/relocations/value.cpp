#include "dedup/relocations/match.hpp"
#include "dedup/try.hpp"

namespace bpflink {
namespace {

using ValueResult = std::expected<CoreAnswer, CoreReason>;

/// The size of a load: that of an element if the type is an array.
std::optional<uint32_t> access_size(const CoreTypes& types, uint32_t id) {
  return types.size(skip_arrays(types.view, id));
}

ValueResult answer_for_element(const CoreTypes& types, CoreKind kind, const AccessPath& path) {
  uint32_t id = path.steps.back().type_id;
  if (kind == CoreKind::FieldByteOffset) {
    auto size = access_size(types, id);
    if (!size) return std::unexpected(CoreReason::NoSize);
    return CoreAnswer{.value = path.bit_offset / 8, .size = *size, .type_id = id};
  }
  if (kind != CoreKind::FieldByteSize) return std::unexpected(CoreReason::NotForArrays);
  auto size = types.size(id);
  if (!size) return std::unexpected(CoreReason::NoSize);
  return CoreAnswer{.value = *size};
}

/// The bits of a member, and the bytes to load for them.
struct Bits {
  uint32_t offset, count;  ///< bits
  uint32_t byte_offset, byte_size;
};

/// The smallest aligned integer that contains a bit-field.
std::expected<Bits, CoreReason> find_bitfield(uint32_t offset, uint32_t count, uint32_t size) {
  if (size == 0) return std::unexpected(CoreReason::NoSize);
  while (true) {
    uint32_t byte_offset = offset / 8 / size * size;
    if (offset + count - byte_offset * 8 <= size * 8) return Bits{offset, count, byte_offset, size};
    if (size >= 8) return std::unexpected(CoreReason::WideBitfield);
    size *= 2;
  }
}

ValueResult answer_for_member(const CoreTypes& types, std::endian order, CoreKind kind,
                              const AccessPath& path) {
  const CoreStep& step = path.steps.back();
  BtfType type = types.view.type(step.type_id);
  uint32_t id = skip_modifiers(types.view, type.member(step.index).type);
  uint32_t width = type.member_bitfield_size(step.index);
  auto size = types.size(id);
  if (!size) return std::unexpected(CoreReason::NoSize);
  bool is_bitfield = width != 0;
  auto bits = TRY(is_bitfield ? find_bitfield(path.bit_offset, width, *size)
                              : Bits{path.bit_offset, *size * 8, path.bit_offset / 8, *size});
  CoreAnswer answer{.is_definite = !is_bitfield};
  uint32_t from = bits.offset - bits.byte_offset * 8;
  if (kind == CoreKind::FieldByteOffset) {
    answer.value = bits.byte_offset;
    if (!is_bitfield) {
      auto access = access_size(types, id);
      if (!access) return std::unexpected(CoreReason::NoSize);
      answer.size = *access;
      answer.type_id = id;
    }
  } else if (kind == CoreKind::FieldByteSize) {
    answer.value = bits.byte_size;
  } else if (kind == CoreKind::FieldLshiftU64) {
    answer.value =
        order == std::endian::little ? 64 - (from + bits.count) : (8 - bits.byte_size) * 8 + from;
  } else {
    bool is_sign = kind == CoreKind::FieldSigned;
    answer.value = is_sign ? is_signed_type(types.view, id) : 64 - bits.count;
    answer.is_definite = true;
  }
  // Loaders compute shifts in 32 bits.
  answer.value = static_cast<uint32_t>(answer.value);
  return answer;
}

}  // namespace

bool is_signed_type(const BtfView& types, uint32_t id) {
  if (id == 0) return false;
  BtfType type = types.type(id);
  if (type.kind() == BtfKind::Int) return (type.int_encoding() & btf_int_signed) != 0;
  return is_enum(type.kind()) && type.kind_flag();
}

std::expected<CoreAnswer, CoreReason> answer(const CoreTypes& types, std::endian order,
                                             CoreKind kind, uint32_t id, const AccessPath& path) {
  switch (kind) {
    case CoreKind::FieldExists:
    case CoreKind::TypeExists:
    case CoreKind::TypeMatches:
    case CoreKind::EnumvalExists:
      return CoreAnswer{.value = 1};
    case CoreKind::TypeIdLocal:
    case CoreKind::TypeIdTarget:
      return CoreAnswer{.value = id, .is_definite = false};
    case CoreKind::TypeSize: {
      auto size = types.size(id);
      if (!size) return std::unexpected(CoreReason::NoSize);
      return CoreAnswer{.value = *size};
    }
    case CoreKind::EnumvalValue: {
      const CoreStep& step = path.steps.back();
      BtfType type = types.view.type(step.type_id);
      uint64_t value = type.enumerator(step.index).value;
      // Loaders read 32-bit values as signed, even if the enum is unsigned.
      if (type.kind() == BtfKind::Enum) value = static_cast<uint64_t>(static_cast<int32_t>(value));
      return CoreAnswer{.value = value};
    }
    case CoreKind::FieldByteOffset:
    case CoreKind::FieldByteSize:
    case CoreKind::FieldSigned:
    case CoreKind::FieldLshiftU64:
    case CoreKind::FieldRshiftU64:
      break;
  }
  if (path.steps.back().name.empty()) return answer_for_element(types, kind, path);
  return answer_for_member(types, order, kind, path);
}

}  // namespace bpflink
