// Pass: contents and relocations of the output sections.
//
// A piece that needs no change is not copied: it is written from the input.
// Where relocations or calls are rewritten, the live fragments are copied and
// patched; of data, only the blocks that have relocations. Every relocation of an input becomes one
// of the output: against the same global or local symbol, or, where it was against a section's
// symbol, against the output section's with the addend moved along.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "linker/context.hpp"

namespace bpflink {
namespace {

class SectionRelocator {
 public:
  SectionRelocator(Context& context, InputSection& section)
      : context_(context), section_(section), object_(*section.file), output_(*section.output) {}

  void run() {
    for (const Fragment& fragment : section_.fragments) {
      if (!fragment.live || fragment.is_duplicate || fragment.begin == fragment.end) continue;
      if (section_.is_code())
        relocate_code(fragment);
      else
        relocate_data(fragment);
    }
  }

 private:
  /// Code is copied whether it has relocations or not: .BTF.ext may name
  /// immediates to patch.
  void relocate_code(const Fragment& fragment) {
    std::byte* bytes = copy(fragment, fragment.begin, fragment.end);
    relocate_range(fragment, fragment.begin, fragment.end, bytes);
    patch_local_type_ids(fragment, bytes);
    // Distances inside an unsplit section do not change, nor its relative calls.
    if (section_.fragments.size() != 1) relink_calls(fragment, bytes);
  }

  /// Copies the blocks of the fragment that have relocations and shows what is
  /// between them: of a large array with a few pointers little is copied.
  void relocate_data(const Fragment& fragment) {
    constexpr uint64_t BLOCK = 4096;
    uint64_t at = fragment.begin;
    for (auto r = first_relocation(at); is_before(r, fragment.end);) {
      uint64_t begin = std::max(at, r->offset - r->offset % BLOCK);
      uint64_t end = begin + BLOCK;
      for (; is_before(r, end); ++r)
        end = std::max(end, r->offset + relocation_extent(r->type).value_or(0));
      end = std::min(end, fragment.end);
      show(fragment, at, begin);
      relocate_range(fragment, begin, end, copy(fragment, begin, end));
      at = end;
    }
    show(fragment, at, fragment.end);
  }

  /// Makes [begin, end) of the fragment a piece as it is in the input.
  void show(const Fragment& fragment, uint64_t begin, uint64_t end) {
    if (begin == end) return;
    output_.pieces.push_back({fragment.output_offset + (begin - fragment.begin),
                              section_.data.subspan(begin, end - begin)});
  }

  /// Makes a copy of [begin, end) a piece and returns it, to be changed.
  std::byte* copy(const Fragment& fragment, uint64_t begin, uint64_t end) {
    auto bytes = section_.data.subspan(begin, end - begin);
    auto& buffer = context_.buffers.emplace_back(bytes.begin(), bytes.end());
    output_.pieces.push_back({fragment.output_offset + (begin - fragment.begin), buffer});
    return buffer.data();
  }

  std::vector<Relocation>::const_iterator first_relocation(uint64_t offset) const {
    return std::ranges::lower_bound(std::as_const(section_).relocations, offset, {},
                                    &Relocation::offset);
  }
  bool is_before(std::vector<Relocation>::const_iterator relocation, uint64_t offset) const {
    return relocation != section_.relocations.end() && relocation->offset < offset;
  }

  /// Applies the relocations of [begin, end), of which `bytes` are the copy.
  void relocate_range(const Fragment& fragment, uint64_t begin, uint64_t end, std::byte* bytes) {
    for (auto r = first_relocation(begin); is_before(r, end); ++r)
      relocate_one(*r, fragment, bytes + (r->offset - begin));
  }

  void relocate_one(const Relocation& relocation, const Fragment& fragment, std::byte* at) {
    const InputSymbol& symbol = object_.symbols[relocation.symbol];
    int64_t addend = relocation.addend;
    uint32_t output_symbol = 0;
    if (symbol.global) {
      output_symbol = symbol.global->output_index;
      if (output_symbol == 0 && !section_.is_loaded()) return bury(relocation, at);
      if (output_symbol == 0) return complain_of_symbol(relocation, symbol);
    } else if (symbol.is_section()) {
      auto target = place_of_pointer(object_.sections[symbol.section],
                                     static_cast<int64_t>(symbol.value) + relocation.addend);
      if (!target && !section_.is_loaded()) return bury(relocation, at);
      if (!target) return complain(relocation, "what was dropped from the output");
      output_symbol = target->section->symbol_index;
      addend = static_cast<int64_t>(target->offset);
    } else {
      output_symbol = symbol.output_index;
      if (output_symbol == 0 && !section_.is_loaded()) return bury(relocation, at);
      if (output_symbol == 0) return complain_of_symbol(relocation, symbol);
    }
    if (!store_addend(relocation.type, at, addend, context_.byte_order))
      return complain(
          relocation,
          fmt::format("offset {:#x}, which the instruction or field cannot hold", addend));
    output_.relocations.push_back({fragment.output_offset + (relocation.offset - fragment.begin),
                                   relocation.type, output_symbol});
  }

  /// DWARF of what was dropped: the address is 0 and stays so.
  void bury(const Relocation& relocation, std::byte* at) const {
    (void)store_addend(relocation.type, at, 0, context_.byte_order);
  }

  /// Calls of functions of this section that have no relocation: the distance
  /// changes where something between was dropped.
  void relink_calls(const Fragment& fragment, std::byte* bytes) {
    auto relocation = first_relocation(fragment.begin);
    for (uint64_t at = fragment.begin; at + INSN_SIZE <= fragment.end; at += INSN_SIZE) {
      while (is_before(relocation, at)) ++relocation;
      std::byte* here = bytes + (at - fragment.begin);
      Insn insn = load_insn(here, context_.byte_order);
      if (insn.is_ld_imm64()) at += INSN_SIZE;
      bool has_relocation = is_before(relocation, at + 1);
      if (!insn.is_local_call() || has_relocation) continue;
      auto target = place_of(section_, at + INSN_SIZE + int64_t{insn.imm} * int64_t{INSN_SIZE});
      uint64_t next = fragment.output_offset + (at - fragment.begin) + INSN_SIZE;
      // split_into_fragments() has seen that every such target stays.
      if (target)
        store_imm(
            here,
            static_cast<int32_t>(static_cast<int64_t>(target->offset - next) / int64_t{INSN_SIZE}),
            context_.byte_order);
    }
  }

  /// An instruction whose immediate is a type id of the program's own BTF gets
  /// the id that the type has in the output.
  void patch_local_type_ids(const Fragment& fragment, std::byte* bytes) {
    if (!object_.btf_ext) return;
    const BtfExtTable& table = object_.btf_ext->core_relo;
    for (const BtfExtSection& part : table.sections) {
      if (part.section != section_.index) continue;
      for (uint32_t i = 0; i < part.count; i++) {
        CoreRelo record =
            object_.btf_ext->load_core_relo(part.records.data() + size_t{i} * table.record_size);
        if (record.kind != CORE_TYPE_ID_LOCAL) continue;
        if (record.insn_off < fragment.begin || record.insn_off >= fragment.end) continue;
        std::byte* at = bytes + (record.insn_off - fragment.begin);
        if (load_insn(at, context_.byte_order).has_type_id_immediate())
          store_imm(at, static_cast<int32_t>(object_.type_map[record.type_id]),
                    context_.byte_order);
      }
    }
  }

  /// Its section is one that is not linked, or was dropped.
  void complain_of_symbol(const Relocation& relocation, const InputSymbol& symbol) {
    complain(relocation, fmt::format("{} '{}', which is not in the output",
                                     symbol.is_local() ? "local symbol" : "symbol", symbol.name));
  }

  void complain(const Relocation& relocation, std::string_view target) {
    auto line = object_.source_line(section_, relocation.offset);
    std::string place = object_.describe_place(section_, relocation.offset);
    context_.diagnostics.error(fmt::format("{}: relocation {} refers to {}", line ? *line : place,
                                           relocation_name(relocation.type), target),
                               line ? std::vector{">>> " + place} : std::vector<std::string>{});
  }

  Context& context_;
  InputSection& section_;
  ObjectFile& object_;
  OutputSection& output_;
};

}  // namespace

void relocate(Context& context) {
  for (auto& output : context.sections) {
    if (output->type == SHT_NOBITS) continue;
    for (InputSection* section : output->members)
      if (!section->is_nobits()) SectionRelocator(context, *section).run();
    std::ranges::stable_sort(output->pieces, {}, &Piece::offset);
    if (!std::ranges::is_sorted(output->relocations, {}, &OutputRelocation::offset))
      std::ranges::stable_sort(output->relocations, {}, &OutputRelocation::offset);
  }
}

}  // namespace bpflink
