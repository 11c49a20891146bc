#include "linker/object/stack_use.hpp"

#include <algorithm>

#include "linker/object/address_uses.hpp"

namespace bpflink {

uint64_t stack_use(std::span<const std::byte> code, std::endian order) {
  constexpr uint8_t frame_pointer = 10;
  int64_t lowest = 0;
  AddressTracker tracker(frame_pointer, 0);
  for_each_insn(code, 0, code.size(), order, [&](uint64_t, const Insn& insn) {
    auto used = tracker.step(insn);
    if (used.offset) lowest = std::min(lowest, *used.offset + (insn.is_access() ? insn.off : 0));
  });
  return static_cast<uint64_t>(-lowest);
}

}  // namespace bpflink
