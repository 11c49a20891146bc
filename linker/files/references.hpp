// The targets of relocations, and of calls and jumps without one.
//
// An addend means one of two things. Against a section symbol it is an offset into that section:
// the relocation points to the contents there, and the addend changes when they move. Against any
// other symbol it is a distance from the symbol: the relocation points to the symbol, and the
// addend stays.
#pragma once

#include "linker/facts/insn.hpp"
#include "linker/files/object_file.hpp"

namespace bpflink {

/// Where a reference leads: to a symbol or, without one, to the contents of a section.
struct Target {
  const InputSymbol* symbol;  ///< null for contents
  InputPlace place;           ///< in the referring object; none for an extern or absolute symbol

  Symbol* global() const { return symbol ? symbol->global : nullptr; }
};

inline Target target_of(const ObjectFile& object, const Relocation& relocation) {
  const InputSymbol& symbol = object.symbols[relocation.symbol];
  bool is_contents = symbol.names_section();
  InputPlace place;
  if (symbol.is_in_section())
    place = {&object.sections[symbol.section],
             static_cast<int64_t>(symbol.value) + (is_contents ? relocation.addend : 0)};
  return {is_contents ? nullptr : &symbol, place};
}

/// A call or jump with its distance in the instruction.
struct LocalBranch {
  bool is_call;   ///< a call within the section; otherwise a jump within a function
  uint64_t from;  ///< bytes into the section
  int64_t to;     ///< likewise; may be outside of it
};

/// Calls `visit` for each branch in [begin, end) of a code section that has no relocation: jumps,
/// and calls of functions of the same section. Distances count from the next instruction, in
/// instructions.
template <typename Visit>
void for_each_local_branch(const InputSection& section, uint64_t begin, uint64_t end, Visit visit) {
  auto relocation = section.first_relocation(begin);
  for_each_insn(section.data, begin, end, section.file->byte_order, [&](uint64_t at, Insn insn) {
    while (relocation != section.relocations.end() && relocation->offset < at) ++relocation;
    bool is_relocated = relocation != section.relocations.end() && relocation->offset == at;
    bool is_call = insn.is_local_call() && !is_relocated;
    if (!is_call && !insn.is_jump()) return;
    int64_t distance = is_call ? insn.imm : insn.jump_distance();
    visit(LocalBranch{is_call, at,
                      static_cast<int64_t>(at + insn_size) + distance * int64_t{insn_size}});
  });
}

/// A reference from an input section.
struct Reference {
  bool is_call;   ///< of a function, through a relocation or with its distance
  bool is_jump;   ///< inside a function, with its distance
  uint64_t from;  ///< bytes into the referring section
  Target to;
};

/// Calls `visit` for each reference from [begin, end) of `section` through a relocation.
template <typename Visit>
void for_each_pointer_from(const InputSection& section, uint64_t begin, uint64_t end, Visit visit) {
  for (auto r = section.first_relocation(begin); r != section.relocations.end() && r->offset < end;
       ++r)
    visit(Reference{r->type == R_BPF_64_32, false, r->offset, target_of(*section.file, *r)});
}

/// The same, and for each call and jump without one.
template <typename Visit>
void for_each_reference(const InputSection& section, uint64_t begin, uint64_t end, Visit visit) {
  for_each_pointer_from(section, begin, end, visit);
  if (!section.is_code()) return;
  for_each_local_branch(section, begin, end, [&](const LocalBranch& branch) {
    visit(
        Reference{branch.is_call, !branch.is_call, branch.from, {nullptr, {&section, branch.to}}});
  });
}

/// Calls `visit` for each reference from a range that may lead to another fragment: in a section of
/// one, only what has a relocation.
template <typename Visit>
void for_each_reference_from(const InputSection& section, uint64_t begin, uint64_t end,
                             Visit visit) {
  section.fragments.size() == 1 ? for_each_pointer_from(section, begin, end, visit)
                                : for_each_reference(section, begin, end, visit);
}

/// Calls `visit(name, type)` for each callback that a tag of the object names, with the id of the
/// FUNC that has the tag: "exception_callback:NAME" makes the verifier call NAME, which no code
/// refers to.
template <typename Visit>
void for_each_tagged_callback(const ObjectFile& object, Visit visit) {
  constexpr std::string_view prefix = "exception_callback:";
  for (uint32_t id : object.tags) {
    BtfType type = object.btf->type(id);
    std::string_view tag = object.btf->name(type);
    if (tag.starts_with(prefix)) visit(tag.substr(prefix.size()), type.type());
  }
}

}  // namespace bpflink
