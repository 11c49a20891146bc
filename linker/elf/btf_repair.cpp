#include "linker/elf/btf_repair.hpp"

#include "linker/elf/bytes.hpp"

namespace bpflink {
namespace {

constexpr uint32_t int_signed_bit = 1u << 24, int_char_bit = 1u << 25;

}  // namespace

bool needs_repair(BtfType type) {
  constexpr uint32_t both = int_signed_bit | int_char_bit;
  return type.kind() == BtfKind::Int && (type.int_data() & both) == both;
}

std::vector<std::byte> repair_btf(std::span<const std::byte> blob, const Btf& btf) {
  std::vector<std::byte> repaired(blob.begin(), blob.end());
  std::endian order = btf.byte_order();
  // Of the header: hdr_len, then type_off, which counts from the header's end.
  size_t at = load<uint32_t>(&blob[4], order) + load<uint32_t>(&blob[8], order);
  for (uint32_t id = btf.first_id(); id < btf.end_id(); ++id) {
    BtfType type = btf.type(id);
    if (needs_repair(type))
      store<uint32_t>(&repaired[at + 12], type.int_data() & ~int_char_bit, order);
    at += 4 * type.words().size();
  }
  return repaired;
}

}  // namespace bpflink
