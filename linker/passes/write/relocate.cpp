// Pass: build the contents and relocations of the output sections.
//
// Code is copied and patched. Of data, only blocks with relocations are copied; the rest is written
// from the input. Each input relocation becomes one output relocation against the same symbol. A
// relocation against a section symbol becomes one against the output section's symbol, with an
// adjusted addend.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "linker/files/code_metadata.hpp"
#include "linker/files/references.hpp"
#include "linker/state/context.hpp"
#include "linker/text/locations.hpp"

namespace bpflink {
namespace {

/// Relocates the fragments of an input section, one after another.
class SectionRelocator {
 public:
  SectionRelocator(Context& context, InputSection& section)
      : context_(context), section_(section), object_(*section.file), output_(*section.output) {
    if (section.is_code()) collect_local_type_ids();
  }

  void relocate(const Fragment& fragment) {
    if (section_.is_code())
      relocate_code(fragment);
    else if (section_.is_code_metadata())
      relocate_table(fragment);
    else
      relocate_data(fragment);
  }

 private:
  /// Code is always copied: .BTF.ext may name immediates to patch.
  void relocate_code(const Fragment& fragment) {
    std::byte* bytes = copy(fragment, fragment.begin, fragment.end);
    relocate_range(fragment, fragment.begin, fragment.end, bytes);
    patch_local_type_ids(fragment, bytes);
    // In an unsplit section, distances and relative calls do not change.
    if (section_.fragments.size() != 1) relink_calls(fragment, bytes);
  }

  /// Copies code metadata. Some have fields without relocations.
  void relocate_table(const Fragment& fragment) {
    std::byte* bytes = copy(fragment, fragment.begin, fragment.end);
    relocate_range(fragment, fragment.begin, fragment.end, bytes);
    if (section_.role == SectionRole::JumpTables) move_targets(fragment, bytes);
    auto cie = find_cie(section_, fragment);
    auto place = cie ? place_of(section_, cie->cie) : std::nullopt;
    if (!place) return;
    uint64_t distance = output_offset(fragment, cie->field) - place->offset;
    store<uint32_t>(bytes + (cie->field - fragment.begin), static_cast<uint32_t>(distance),
                    context_.byte_order);
  }

  /// Updates a jump table's offsets to the places of the code.
  void move_targets(const Fragment& table, std::byte* bytes) {
    auto found = context_.code_of_jump_tables.find(&table);
    if (found == context_.code_of_jump_tables.end()) return;
    const InputSection& code = *found->second;
    for_each_plain_offset(section_, table, [&](uint64_t at, uint64_t offset) {
      auto place = offset < code.size ? place_of(code, offset) : std::nullopt;
      if (place)
        return store<uint64_t>(bytes + (at - table.begin), place->offset, context_.byte_order);
      context_.diagnostics.error(
          fmt::format("{}: the jump table leads to '{}'+{:#x}, {}",
                      object_.describe_place(section_, at), code.name, offset,
                      offset < code.size ? "which was dropped from the output"
                                         : "which is outside of the section"));
    });
  }

  /// Copies the blocks of the fragment that have relocations, and borrows the rest from the input:
  /// of a large array with a few pointers, little is copied.
  void relocate_data(const Fragment& fragment) {
    constexpr uint64_t block_size = 4096;
    uint64_t at = fragment.begin;
    for (auto r = section_.first_relocation(at); is_before(r, fragment.end);) {
      uint64_t begin = std::max(at, r->offset - r->offset % block_size);
      uint64_t end = begin + block_size;
      for (; is_before(r, end); ++r)
        end = std::max(end, r->offset + relocation_extent(r->type).value_or(0));
      end = std::min(end, fragment.end);
      borrow(fragment, at, begin);
      relocate_range(fragment, begin, end, copy(fragment, begin, end));
      at = end;
    }
    borrow(fragment, at, fragment.end);
  }

  /// Adds [begin, end) of the fragment unchanged.
  void borrow(const Fragment& fragment, uint64_t begin, uint64_t end) {
    if (begin == end) return;
    output_.contents.push_back(
        {output_offset(fragment, begin), section_.data.subspan(begin, end - begin)});
  }

  /// Adds a copy of [begin, end) and returns it for changes.
  std::byte* copy(const Fragment& fragment, uint64_t begin, uint64_t end) {
    std::span<std::byte> bytes = context_.copy(section_.data.subspan(begin, end - begin));
    output_.contents.push_back({output_offset(fragment, begin), bytes});
    return bytes.data();
  }

  static uint64_t output_offset(const Fragment& fragment, uint64_t offset) {
    return fragment.output_offset + (offset - fragment.begin);
  }

  bool is_before(std::vector<Relocation>::const_iterator relocation, uint64_t offset) const {
    return relocation != section_.relocations.end() && relocation->offset < offset;
  }

  /// Applies the relocations of [begin, end) to its copy `bytes`.
  void relocate_range(const Fragment& fragment, uint64_t begin, uint64_t end, std::byte* bytes) {
    for (auto r = section_.first_relocation(begin); is_before(r, end); ++r)
      relocate_one(*r, fragment, bytes + (r->offset - begin));
  }

  void relocate_one(const Relocation& relocation, const Fragment& fragment, std::byte* at) {
    Target target = target_of(object_, relocation);
    int64_t addend = relocation.addend;
    uint32_t output_symbol = 0;
    if (!section_.is_loaded() && is_own_place(relocation, target)) {
      if (auto place = place_of(*target.place.section, target.place.offset)) {
        output_symbol = place->section->symbol_index;
        addend = static_cast<int64_t>(place->offset) + (target.symbol ? addend : 0);
      }
    } else if (target.symbol) {
      const Symbol* global = target.global();
      output_symbol = global ? global->output_index : target.symbol->output_index;
    } else if (auto place = place_of_pointer(target.place)) {
      output_symbol = place->section->symbol_index;
      addend = static_cast<int64_t>(place->offset);
    }
    if (output_symbol == 0) {
      if (!section_.is_loaded()) return write_tombstone(relocation, at);
      if (target.symbol) return report_symbol(relocation, *target.symbol);
      return report(relocation, "what was dropped from the output");
    }
    if (!store_addend(relocation.type, at, addend, context_.byte_order))
      return report(
          relocation,
          fmt::format("offset {:#x}, which the instruction or field cannot hold", addend));
    output_.relocations.push_back(
        {output_offset(fragment, relocation.offset), relocation.type, output_symbol});
  }

  /// Whether DWARF means a place in its own object: contents, or a definition that lost, which
  /// still has its place if its section stays whole.
  bool is_own_place(const Relocation& relocation, const Target& target) const {
    return target.place.section && (!target.symbol || lost_resolution(object_, relocation.symbol));
  }

  /// DWARF that points to what was dropped gets an address that nothing has. In an object 0 is an
  /// address; in these two sections, -1 has a meaning, and two zeros end a list.
  void write_tombstone(const Relocation& relocation, std::byte* at) const {
    bool is_list = section_.name == ".debug_ranges" || section_.name == ".debug_loc";
    (void)store_addend(relocation.type, at, is_list ? 1 : -1, context_.byte_order);
  }

  /// Updates calls within the section that have no relocation: the distance changes if something
  /// between was dropped.
  void relink_calls(const Fragment& fragment, std::byte* bytes) {
    for_each_local_branch(section_, fragment.begin, fragment.end, [&](const LocalBranch& branch) {
      if (!branch.is_call) return;
      // split_into_fragments() made sure that every such target stays.
      auto target = place_of(section_, static_cast<uint64_t>(branch.to));
      if (!target) return;
      uint64_t next = output_offset(fragment, branch.from) + insn_size;
      int64_t distance = static_cast<int64_t>(target->offset - next) / int64_t{insn_size};
      store_imm(bytes + (branch.from - fragment.begin), static_cast<int32_t>(distance),
                context_.byte_order);
    });
  }

  void collect_local_type_ids() {
    if (!object_.btf_ext) return;
    const BtfExt& ext = *object_.btf_ext;
    for (const BtfExtSection& part : ext.core_relo.of_section(section_.index))
      ext.for_each_local_type_id(part,
                                 [&](const CoreRelo& relo) { local_type_ids_.push_back(relo); });
    std::ranges::stable_sort(local_type_ids_, {}, &CoreRelo::insn_off);
  }

  /// Replaces ids of local types in instructions by output ids.
  void patch_local_type_ids(const Fragment& fragment, std::byte* bytes) {
    auto relo = std::ranges::lower_bound(local_type_ids_, fragment.begin, {}, &CoreRelo::insn_off);
    for (; relo != local_type_ids_.end() && relo->insn_off < fragment.end; ++relo)
      store_type_id(bytes + (relo->insn_off - fragment.begin), object_.type_map[relo->type_id],
                    context_.byte_order);
  }

  /// Reports a symbol whose section is not linked or was dropped.
  void report_symbol(const Relocation& relocation, const InputSymbol& symbol) {
    report(relocation, fmt::format("{} '{}', which is not in the output",
                                   symbol.is_local() ? "local symbol" : "symbol", symbol.name));
  }

  void report(const Relocation& relocation, std::string_view target) {
    context_.diagnostics.error(
        fmt::format("{}: relocation {} refers to {}",
                    object_.describe_place(section_, relocation.offset),
                    relocation_name(relocation.type), target),
        {{ReferenceRole::Subject, location_of(object_, section_, relocation.offset)}});
  }

  Context& context_;
  InputSection& section_;
  ObjectFile& object_;
  OutputSection& output_;
  std::vector<CoreRelo> local_type_ids_;  ///< of this section, by instruction
};

/// A fragment with bytes of its own in the output.
struct PlacedFragment {
  InputSection* section;
  const Fragment* fragment;

  uint64_t output_offset() const { return fragment->output_offset; }
};

/// The fragments of a section by output offset. That is the order of the inputs except for maps.
std::vector<PlacedFragment> fragments_of(const OutputSection& output) {
  std::vector<PlacedFragment> fragments;
  for (InputSection* section : output.members) {
    if (section->is_nobits()) continue;
    for (const Fragment& fragment : section->fragments)
      if (fragment.live && !fragment.is_duplicate && fragment.begin != fragment.end)
        fragments.push_back({section, &fragment});
  }
  if (!std::ranges::is_sorted(fragments, {}, &PlacedFragment::output_offset))
    std::ranges::stable_sort(fragments, {}, &PlacedFragment::output_offset);
  return fragments;
}

void relocate_section(Context& context, OutputSection& output) {
  const InputSection* last = nullptr;
  std::optional<SectionRelocator> relocator;
  for (const PlacedFragment& placed : fragments_of(output)) {
    if (placed.section != last) relocator.emplace(context, *placed.section);
    last = placed.section;
    relocator->relocate(*placed.fragment);
  }
}

}  // namespace

void relocate(Context& context) {
  for (auto& output : context.sections)
    if (output->type != SHT_NOBITS) relocate_section(context, *output);
}

}  // namespace bpflink
