// Pass: splits sections where a definition lost.
//
// A section is cut at the symbols of its functions or objects; the pieces that
// belong to losers only are dropped. A cut is safe only if nothing that stays
// reaches a dropped piece in a way that no symbol shows: an addend against the
// section's symbol, a call or jump without a relocation, control that falls
// through from one function into the next. Where something does, the section
// stays whole, and the loser lives on in it as a local symbol that its
// neighbours alone can reach.
#include <fmt/format.h>

#include <algorithm>

#include "linker/context.hpp"

namespace bpflink {
namespace {

struct Extent {
  uint64_t begin, end;
  bool live;
};

/// The fragment that `offset` stands in, of fragments that cover the section.
Fragment* fragment_at(std::vector<Fragment>& fragments, uint64_t offset) {
  auto after = std::upper_bound(fragments.begin(), fragments.end(), offset,
                                [](uint64_t at, const Fragment& f) { return at < f.begin; });
  return after == fragments.begin() ? &fragments.front() : &*(after - 1);
}

const Fragment* fragment_at(const std::vector<Fragment>& fragments, uint64_t offset) {
  return fragment_at(const_cast<std::vector<Fragment>&>(fragments), offset);
}

class Splitter {
 public:
  Splitter(Context& context, ObjectFile& object) : context_(context), object_(object) {}

  void split() {
    std::vector<std::vector<Extent>> extents(object_.sections.size());
    std::vector<bool> has_loser(object_.sections.size());
    for (uint32_t i = 1; i < object_.symbols.size(); i++) {
      const InputSymbol& symbol = object_.symbols[i];
      if (symbol.place != InputSymbol::Place::Section) continue;
      if (symbol.type != STT_FUNC && symbol.type != STT_OBJECT && symbol.is_local()) continue;
      bool lost = lost_resolution(object_, i);
      extents[symbol.section].push_back({symbol.value, symbol.value + symbol.size, !lost});
      if (lost) has_loser[symbol.section] = true;
    }
    for (InputSection& section : object_.sections) {
      if (!has_loser[section.index] || section.use != SectionUse::Link || section.same_as) continue;
      if (split_section(section, extents[section.index])) split_.push_back(&section);
    }
    if (!split_.empty()) rejoin_what_is_entangled();
  }

 private:
  /// True where there is something to drop.
  bool split_section(InputSection& section, std::vector<Extent>& extents) {
    std::ranges::sort(extents, {}, &Extent::begin);
    give_sizes(extents, section.size);
    join_overlapping(section, extents);
    if (std::ranges::all_of(extents, &Extent::live)) return false;

    section.fragments.clear();
    uint64_t at = 0;
    for (const Extent& extent : extents) {
      add_gap(section, at, extent.begin);
      if (extent.begin < extent.end) section.fragments.push_back({extent.begin, extent.end, extent.live});
      at = extent.end;
    }
    add_gap(section, at, section.size);
    return true;
  }

  /// A symbol without a size (from assembly) goes up to the next.
  static void give_sizes(std::vector<Extent>& extents, uint64_t section_size) {
    uint64_t next = section_size;
    for (size_t i = extents.size(); i-- > 0;) {
      if (i + 1 < extents.size() && extents[i + 1].begin > extents[i].begin) next = extents[i + 1].begin;
      if (extents[i].end == extents[i].begin) extents[i].end = next;
    }
  }

  /// Symbols that share bytes (aliases), and functions of which one runs into
  /// the next, live and die together.
  void join_overlapping(const InputSection& section, std::vector<Extent>& extents) const {
    std::vector<Extent> joined;
    for (const Extent& extent : extents) {
      if (joined.empty()) {
        joined.push_back(extent);
        continue;
      }
      Extent& last = joined.back();
      bool overlaps = extent.begin < last.end;
      bool falls_through = section.is_code() && extent.begin == last.end && !ends_flow(section, last.end);
      if (overlaps || falls_through) {
        last.end = std::max(last.end, extent.end);
        last.live |= extent.live;
      } else {
        joined.push_back(extent);
      }
    }
    extents = std::move(joined);
  }

  bool ends_flow(const InputSection& section, uint64_t end) const {
    if (end < INSN_SIZE || end % INSN_SIZE != 0) return false;
    return load_insn(section.data.data() + end - INSN_SIZE, object_.byte_order).ends_flow();
  }

  /// Bytes that no symbol covers: padding goes with what it pads, anything else
  /// (constants of the compiler have no symbols) stays.
  static void add_gap(InputSection& section, uint64_t begin, uint64_t end) {
    if (begin >= end) return;
    bool is_padding = end - begin < section.alignment &&
                      (section.is_nobits() ||
                       std::ranges::all_of(section.data.subspan(begin, end - begin),
                                           [](std::byte b) { return b == std::byte{0}; }));
    if (is_padding && !section.fragments.empty())
      section.fragments.back().end = end;
    else
      section.fragments.push_back({begin, end});
  }

  /// Visits all that stays; what it reaches in a dropped fragment makes that
  /// section whole again, and then what came back is visited too.
  void rejoin_what_is_entangled() {
    for (InputSection& section : object_.sections) {
      if (section.use != SectionUse::Link) continue;
      for (const Fragment& fragment : section.fragments)
        if (fragment.live) pending_.push_back({&section, fragment.begin, fragment.end});
    }
    while (!pending_.empty()) {
      Run run = pending_.back();
      pending_.pop_back();
      visit_relocations(run);
      if (run.section->is_code()) visit_branches(run);
    }
  }

  struct Run {
    InputSection* section;
    uint64_t begin, end;
  };

  void visit_relocations(const Run& run) {
    const auto& relocations = run.section->relocations;
    auto first = std::ranges::lower_bound(relocations, run.begin, {}, &Relocation::offset);
    for (auto r = first; r != relocations.end() && r->offset < run.end; ++r) {
      const InputSymbol& symbol = object_.symbols[r->symbol];
      if (!symbol.is_local() || symbol.place != InputSymbol::Place::Section) continue;
      InputSection& target = object_.sections[symbol.section];
      int64_t offset = static_cast<int64_t>(symbol.value) + (symbol.is_section() ? r->addend : 0);
      if (is_split(target) && !place_survives(target, offset))
        make_whole(target, *run.section, r->offset);
    }
  }

  /// Calls and jumps that stand for themselves, without a relocation.
  void visit_branches(const Run& run) {
    InputSection& section = *run.section;
    if (!is_split(section)) return;
    auto relocation = std::ranges::lower_bound(section.relocations, run.begin, {}, &Relocation::offset);
    for (uint64_t at = run.begin; at + INSN_SIZE <= run.end; at += INSN_SIZE) {
      while (relocation != section.relocations.end() && relocation->offset < at) ++relocation;
      Insn insn = load_insn(section.data.data() + at, object_.byte_order);
      if (insn.is_ld_imm64()) {
        at += INSN_SIZE;
        continue;
      }
      bool is_call = insn.is_local_call() &&
                     (relocation == section.relocations.end() || relocation->offset != at);
      if (!is_call && !insn.is_jump()) continue;
      int64_t distance = is_call ? insn.imm : insn.jump_distance();
      int64_t target = static_cast<int64_t>(at + INSN_SIZE) + distance * int64_t{INSN_SIZE};
      const Fragment* from = fragment_at(section.fragments, at);
      const Fragment* to = fragment_at(section.fragments, std::max<int64_t>(target, 0));
      bool stays_inside = from == to && target >= 0 && static_cast<uint64_t>(target) < section.size;
      if (stays_inside || (is_call && target >= 0 && to->live)) continue;
      make_whole(section, section, at);
      return;
    }
  }

  static bool is_split(const InputSection& section) { return section.fragments.size() > 1; }

  /// Whether what a pointer to `offset` means is still there; see
  /// place_of_pointer().
  static bool place_survives(const InputSection& section, int64_t offset) {
    if (offset < 0 || static_cast<uint64_t>(offset) > section.size) return false;
    const Fragment* fragment = fragment_at(section.fragments, offset);
    if (fragment->live) return true;
    return static_cast<uint64_t>(offset) == fragment->begin && fragment != section.fragments.data() &&
           (fragment - 1)->live;
  }

  void make_whole(InputSection& section, const InputSection& from, uint64_t offset) {
    for (const Fragment& fragment : section.fragments)
      if (!fragment.live) pending_.push_back({&section, fragment.begin, fragment.end});
    section.fragments.assign(1, {0, section.size});
    context_.diagnostics.note(
        fmt::format("{}: section '{}' stays whole, with definitions that lost", object_.name, section.name),
        {fmt::format(">>> {} points into one of them or outside of any",
                     object_.describe_place(from, offset))});
  }

  Context& context_;
  ObjectFile& object_;
  std::vector<InputSection*> split_;
  std::vector<Run> pending_;
};

}  // namespace

void split_into_fragments(Context& context) {
  for (auto& object : context.objects) Splitter(context, *object).split();
}

std::optional<Place> place_of(const InputSection& section, uint64_t offset) {
  if (!section.output) return std::nullopt;
  const Fragment* fragment = fragment_at(section.fragments, offset);
  if (!fragment->live) return std::nullopt;
  return Place{section.output, fragment->output_offset + (offset - fragment->begin)};
}

std::optional<Place> place_of_pointer(const InputSection& section, int64_t offset) {
  // A section that was split has no pointers outside of it: see place_survives().
  if (section.fragments.size() == 1 || offset < 0) return place_of(section, offset);
  const Fragment* fragment = fragment_at(section.fragments, offset);
  bool at_dropped = !fragment->live && static_cast<uint64_t>(offset) == fragment->begin;
  if (!at_dropped || fragment == section.fragments.data()) return place_of(section, offset);
  const Fragment* before = fragment - 1;
  if (!section.output || !before->live) return std::nullopt;
  return Place{section.output, before->output_offset + (before->end - before->begin)};
}

}  // namespace bpflink
