// Pass: split sections into fragments, so that part of a section can be dropped or moved.
//
// A section is cut at the symbols of its functions or objects. Fragments that belong only to losers
// are dropped. So are functions without a symbol, which lost when libbpf's linker made the input. A
// cut is safe if no kept fragment reaches a dropped one without a symbol: by an addend against the
// section symbol, by a call or jump without a relocation, or by falling through from one function
// into the next. Otherwise the section stays whole, and the loser becomes a local symbol that only
// its own section reaches.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "linker/files/code_metadata.hpp"
#include "linker/files/references.hpp"
#include "linker/files/symbols_by_place.hpp"
#include "linker/state/context.hpp"
#include "linker/text/locations.hpp"

namespace bpflink {
namespace {

class Splitter {
 public:
  Splitter(Context& context, ObjectFile& object) : context_(context), object_(object) {}

  void split() {
    std::vector<std::vector<Extent>> extents(object_.sections.size());
    std::vector<bool> to_split(object_.sections.size());
    for (uint32_t i = 1; i < object_.symbols.size(); ++i) {
      const InputSymbol& symbol = object_.symbols[i];
      if (!is_cut_at(symbol)) continue;
      bool lost = lost_resolution(object_, i);
      extents[symbol.section].push_back({symbol.value, symbol.value + symbol.size, !lost});
      if (lost || splits_anyway(object_.sections[symbol.section])) to_split[symbol.section] = true;
    }
    for (const InputSection& section : object_.linked_sections())
      for (uint64_t begin : section.nameless_functions) {
        extents[section.index].push_back({begin, begin, false});  // extends to the next symbol
        to_split[section.index] = true;
      }
    split_code_metadata(object_);
    for (InputSection& section : object_.linked_sections()) {
      if (section.same_as || section.is_code_metadata()) continue;
      if (is_mergeable(section)) split_mergeable(section, extents[section.index]);
      if (!section.is_merged && to_split[section.index] && section.is_loaded() &&
          !stays_whole(section))
        split_section(section, extents[section.index]);
    }
    if (!std::ranges::all_of(object_.linked_sections(), is_whole)) rejoin_entangled_sections();
  }

 private:
  /// Whether to split a section that holds no loser: --gc-sections may drop fragments, and maps may
  /// be reordered.
  bool splits_anyway(const InputSection& section) const {
    return context_.options.gc_sections ||
           (section.role == SectionRole::Maps && !section.relocations.empty());
  }

  /// Line numbers and ranges of DWARF are distances within a section of code.
  bool stays_whole(const InputSection& section) const {
    return context_.options.keep_debug && section.is_code() &&
           object_.find_linked_section(".debug_info");
  }

  void split_section(InputSection& section, std::vector<Extent>& extents) {
    sort_extents(extents, section.size);
    join_overlapping(section, extents);

    section.fragments.clear();
    uint64_t at = 0;
    for (const Extent& extent : extents) {
      add_gap(section, at, extent.begin);
      if (extent.begin < extent.end)
        section.fragments.push_back({extent.begin, extent.end, extent.live});
      at = extent.end;
    }
    add_gap(section, at, section.size);
    if (section.fragments.empty() || cuts_something(section))
      section.fragments.assign(1, {0, section.size});
  }

  /// Whether a fragment ends inside an instruction or a relocated field, as symbols with odd values
  /// can cause. Passes that patch a fragment need all of it.
  static bool cuts_something(const InputSection& section) {
    if (section.is_code())
      for (const Fragment& fragment : section.fragments)
        if (fragment.begin % insn_size != 0) return true;
    return std::ranges::any_of(section.relocations, [&](const Relocation& relocation) {
      uint64_t extent = relocation_extent(relocation.type).value_or(0);
      const Fragment& fragment = fragment_at(section, static_cast<int64_t>(relocation.offset));
      return extent > fragment.end - relocation.offset;
    });
  }

  /// Whether the section consists of strings or of constants that the linker may merge.
  static bool is_mergeable(const InputSection& section) {
    constexpr uint64_t both = SHF_MERGE | SHF_WRITE;
    constexpr uint64_t min_constant = 4;  // compilers write none that are smaller
    if ((section.flags & both) != SHF_MERGE || !section.relocations.empty() ||
        section.is_nobits() || section.entry_size < (section.holds_strings() ? 1 : min_constant))
      return false;
    return section.size % section.entry_size == 0;
  }

  /// Makes a fragment of each constant, or of each string with its terminator, and one of the rest
  /// if the last string has no terminator. A symbol that covers several, as assembly can define,
  /// needs them side by side: then the section stays whole.
  static void split_mergeable(InputSection& section, const std::vector<Extent>& extents) {
    std::vector<Fragment> whole = std::exchange(section.fragments, {});
    uint64_t begin = 0;
    for (uint64_t at = 0; at < section.size; at += section.entry_size) {
      auto entry = section.data.subspan(at, section.entry_size);
      bool ends = !section.holds_strings() ||
                  std::ranges::all_of(entry, [](std::byte b) { return b == std::byte{0}; });
      if (!ends) continue;
      section.fragments.push_back({begin, at + section.entry_size});
      begin = at + section.entry_size;
    }
    if (begin < section.size || section.size == 0)
      section.fragments.push_back({begin, section.size});
    section.is_merged = std::ranges::all_of(extents, [&](const Extent& extent) {
      return extent.end <= fragment_at(section, static_cast<int64_t>(extent.begin)).end;
    });
    if (!section.is_merged) section.fragments = std::move(whole);
  }

  /// Joins symbols that share bytes (aliases) and functions that fall through into the next: they
  /// stay or go together.
  void join_overlapping(const InputSection& section, std::vector<Extent>& extents) const {
    if (section.is_code()) cover_gaps(section, extents);
    std::vector<Extent> joined;
    for (const Extent& extent : extents) {
      if (joined.empty()) {
        joined.push_back(extent);
        continue;
      }
      Extent& last = joined.back();
      bool overlaps = extent.begin < last.end;
      bool falls_through =
          section.is_code() && extent.begin == last.end && !ends_flow(section, last.end);
      if (overlaps || falls_through) {
        last.end = std::max(last.end, extent.end);
        last.live |= extent.live;
      } else {
        joined.push_back(extent);
      }
    }
    extents = std::move(joined);
  }

  /// Code without a symbol, or past a size that is too small, goes with the function that falls
  /// through into it, or that it falls through into.
  void cover_gaps(const InputSection& section, std::vector<Extent>& extents) const {
    uint64_t end = 0;  // of what came before
    Extent* last = nullptr;
    auto cover = [&](uint64_t next) {
      if (!last || end >= next || ends_flow(section, end) || is_padding(section, end, next)) return;
      last->end = end = next;
    };
    for (Extent& extent : extents) {
      cover(extent.begin);
      if (end < extent.begin && !ends_flow(section, extent.begin) &&
          !is_padding(section, end, extent.begin))
        extent.begin = end;
      if (!last || extent.end > end) last = &extent;
      end = std::max(end, extent.end);
    }
    cover(section.size);
  }

  bool ends_flow(const InputSection& section, uint64_t end) const {
    if (end < insn_size || end % insn_size != 0) return false;
    return load_insn(section.data.data() + end - insn_size, object_.byte_order).ends_flow();
  }

  static bool is_padding(const InputSection& section, uint64_t begin, uint64_t end) {
    return end - begin < section.alignment &&
           (section.is_nobits() ||
            std::ranges::all_of(section.data.subspan(begin, end - begin),
                                [](std::byte b) { return b == std::byte{0}; }));
  }

  /// Adds bytes that no symbol covers. Padding joins the fragment before it. Other bytes stay as an
  /// unnamed fragment: compilers give constants no symbols.
  static void add_gap(InputSection& section, uint64_t begin, uint64_t end) {
    if (begin >= end) return;
    if (is_padding(section, begin, end) && !section.fragments.empty())
      section.fragments.back().end = end;
    else
      section.fragments.push_back({.begin = begin, .end = end, .is_unnamed = true});
  }

  /// Visits all kept fragments except code metadata, which are dropped with the code. A
  /// reference that reaches into a dropped fragment makes that section whole again; the restored
  /// fragments are visited in turn.
  void rejoin_entangled_sections() {
    for (InputSection& section : object_.linked_sections()) {
      if (!section.is_loaded() || section.is_code_metadata()) continue;
      for (const Fragment& fragment : section.fragments)
        if (fragment.live) pending_.push_back({&section, fragment.begin, fragment.end});
    }
    while (!pending_.empty()) {
      Run run = pending_.back();
      pending_.pop_back();
      for_each_reference_from(*run.section, run.begin, run.end, [&](const Reference& reference) {
        const InputSection* target = reference.to.place.section;
        if (reference.to.global() || !target || is_whole(*target) ||
            survives(*run.section, reference))
          return;
        make_whole(object_.sections[target->index], *run.section, reference.from);
      });
    }
  }

  struct Run {
    InputSection* section;
    uint64_t begin, end;
  };

  static bool is_whole(const InputSection& section) {
    return section.fragments.empty() ||
           (section.fragments.size() == 1 && section.fragments[0].live);
  }

  static bool survives(const InputSection& from, const Reference& reference) {
    const InputSection& target = *reference.to.place.section;
    int64_t offset = reference.to.place.offset;
    if (offset < 0 || static_cast<uint64_t>(offset) > target.size) return false;
    const Fragment& fragment = fragment_at(target, offset);
    if (reference.is_jump) return &fragment == &fragment_at(from, reference.from);
    if (fragment.live) return true;
    // The end of an object: see place_of_pointer(). A pointer to code means the code.
    return !target.is_code() && static_cast<uint64_t>(offset) == fragment.begin &&
           &fragment != target.fragments.data() && (&fragment - 1)->live;
  }

  void make_whole(InputSection& section, const InputSection& from, uint64_t offset) {
    for (const Fragment& fragment : section.fragments)
      if (!fragment.live) pending_.push_back({&section, fragment.begin, fragment.end});
    section.fragments.assign(1, {0, section.size});
    context_.diagnostics.note(
        fmt::format("{}: section '{}' is kept whole, with its losing definitions: this points into "
                    "one of them or outside of any",
                    object_.name, section.name),
        {{ReferenceRole::Occurrence, location_of(object_, from, offset)}});
  }

  Context& context_;
  ObjectFile& object_;
  std::vector<Run> pending_;
};

}  // namespace

void split_into_fragments(Context& context) {
  for (auto& object : context.objects) Splitter(context, *object).split();
}

}  // namespace bpflink
