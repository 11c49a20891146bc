#include "linker/types/type_notes.hpp"

#include <fmt/format.h>

#include "dedup/internal.hpp"

namespace bpflink {

std::string bytes_note(uint32_t bytes) {
  return count_of(bytes, "byte");
}

std::string offset_note(uint64_t bit_offset, uint32_t width) {
  if (width != 0) return fmt::format("{} bits at bit {}", width, bit_offset);
  return bit_offset % 8 == 0 ? fmt::format("at byte {}", bit_offset / 8)
                             : fmt::format("at bit {}", bit_offset);
}

std::string enumerator_note(std::string_view name, BtfType type, uint32_t i) {
  return fmt::format("{} = {}", name, enumerator_value(type, i));
}

}  // namespace bpflink
