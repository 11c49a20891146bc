#include "dedup/compare/type_text.hpp"

#include <fmt/format.h>

#include "bpflink/btf_query.hpp"
#include "dedup/messages.hpp"
#include "dedup/print/c_scalars.hpp"

namespace bpflink {

std::string pointer_tags(const BtfView& types, uint32_t pointer) {
  uint32_t id = skip_modifiers(types, pointer);
  std::string tags;
  if (types.kind(id) != BtfKind::Ptr) return tags;
  constexpr int max_steps = 64;  // no source writes more
  id = types.type(id).type();
  for (int step = 0; step < max_steps && is_modifier(types.kind(id)); ++step) {
    BtfType modifier = types.type(id);
    if (modifier.kind() == BtfKind::TypeTag) {
      if (!tags.empty()) tags += ", ";
      tags += types.name(modifier);
    }
    id = modifier.type();
  }
  return tags;
}

std::string parameter_label(uint32_t i) {
  return fmt::format(" (parameter {})", i + 1);
}

std::string bytes_note(uint64_t bytes) {
  return count_of(bytes, "byte");
}

std::string offset_note(uint64_t bit_offset, uint32_t width) {
  if (width != 0) return fmt::format("{} at bit {}", count_of(width, "bit"), bit_offset);
  return bit_offset % 8 == 0 ? fmt::format("at byte {}", bit_offset / 8)
                             : fmt::format("at bit {}", bit_offset);
}

std::string enumerator_note(const BtfView& types, BtfType type, uint32_t i) {
  return fmt::format("{} = {}", types.string(type.enumerator(i).name_off),
                     enumerator_value(type, i));
}

}  // namespace bpflink
