// What a run of an input section refers to, from its relocations and, in code,
// from the calls and jumps that need none.
#pragma once

#include <algorithm>

#include "linker/elf/fragments.hpp"
#include "linker/elf/symbol.hpp"

namespace bpflink {

struct SectionReference {
  enum class Kind : uint8_t {
    Pointer,  ///< through a relocation
    Call,     ///< a local call without a relocation
    Jump,     ///< a jump, which stays inside its function
  };
  Kind kind;
  uint64_t from;         ///< bytes into the section that refers
  Symbol* global;        ///< the symbol, or null where section and offset tell
  InputSection* target;  ///< null where global is set, or for an absolute symbol
  int64_t offset;        ///< bytes into `target`; may be outside of it
};

/// Calls `visit` for each reference from [begin, end) of `section`. Calls and
/// jumps without a relocation are looked for only where the section is split:
/// inside one fragment they change nothing.
template <typename Visit>
void for_each_section_reference(ObjectFile& object, InputSection& section, uint64_t begin,
                                uint64_t end, Visit visit) {
  const auto& relocations = section.relocations;
  auto first = std::ranges::lower_bound(relocations, begin, {}, &Relocation::offset);
  for (auto r = first; r != relocations.end() && r->offset < end; ++r) {
    const InputSymbol& symbol = object.symbols[r->symbol];
    SectionReference reference{SectionReference::Kind::Pointer, r->offset, symbol.global, nullptr,
                               0};
    if (!symbol.global && symbol.place == InputSymbol::Place::Section) {
      reference.target = &object.sections[symbol.section];
      reference.offset = static_cast<int64_t>(symbol.value) + (symbol.is_section() ? r->addend : 0);
    }
    visit(reference);
  }
  if (!section.is_code() || section.fragments.size() == 1) return;

  auto relocation = first;
  for (uint64_t at = begin; at + insn_size <= end; at += insn_size) {
    while (relocation != relocations.end() && relocation->offset < at) ++relocation;
    Insn insn = load_insn(section.data.data() + at, object.byte_order);
    if (insn.is_ld_imm64()) {
      at += insn_size;
      continue;
    }
    bool is_call =
        insn.is_local_call() && (relocation == relocations.end() || relocation->offset != at);
    if (!is_call && !insn.is_jump()) continue;
    int64_t distance = is_call ? insn.imm : insn.jump_distance();
    visit(SectionReference{is_call ? SectionReference::Kind::Call : SectionReference::Kind::Jump,
                           at, nullptr, &section,
                           static_cast<int64_t>(at + insn_size) + distance * int64_t{insn_size}});
  }
}

}  // namespace bpflink
