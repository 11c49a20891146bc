// Finds what names do not tell in an input, and gives that local classes.
#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

#include "dedup/ambiguity/parts.hpp"
#include "dedup/classes/class_cycles.hpp"
#include "dedup/classes/run_threads.hpp"
#include "dedup/dedup_impl.hpp"

namespace bpflink {

namespace {

/// The part of a unit's classes that are of the types of one link of a chain of
/// split BTF.
std::span<uint32_t> classes_of(const Btf& btf, Unit& unit) {
  return std::span(unit.classes)
      .subspan(btf.first_id() - unit.first_id, btf.end_id() - btf.first_id());
}

}  // namespace

void Deduplicator::Impl::count_users(std::span<const uint32_t> classes) {
  class_users.resize(table.class_count());
  for (uint32_t c : classes) ++class_users[c];
}

/// Counts one user less of each class that these types of a unit, all that had it,
/// `had` and have no more.
void Deduplicator::Impl::uncount_unused(std::span<const uint32_t> had, const Unit& unit,
                                        std::span<const uint32_t> ids) {
  std::vector<bool> is_done(table.class_count());
  for (uint32_t id : ids) is_done[unit.class_of(id)] = true;
  for (uint32_t c : had) {
    if (!is_done[c]) --class_users[c];
    is_done[c] = true;
  }
}

/// The anchors of which `classes`, those of one unit, have several definitions.
/// In the base, a forward declaration beside a definition counts as another.
std::vector<Reference> Deduplicator::Impl::find_ambiguous(std::span<const uint32_t> classes,
                                                          bool is_base) {
  definitions.resize(table.anchor_count());
  std::vector<Reference> ambiguous;
  for (uint32_t c : classes) {
    uint32_t anchor = table.anchor_of(c);
    if (anchor == 0 || (!is_base && is_declaration(table.form(c)))) continue;
    if (definitions[anchor] != 0 && definitions[anchor] != c)
      ambiguous.push_back(anchor_bit | anchor);
    definitions[anchor] = c;
  }
  for (uint32_t c : classes) definitions[table.anchor_of(c)] = 0;
  return ambiguous;
}

/// The anchors that `classes` define in another way than the base.
std::vector<Reference> Deduplicator::Impl::find_redefined(std::span<const uint32_t> classes) const {
  std::vector<Reference> redefined;
  if (base_definitions.empty()) return redefined;
  for (uint32_t c : classes) {
    uint32_t anchor = table.anchor_of(c);
    if (anchor == 0 || anchor >= base_definitions.size() || base_definitions[anchor] == 0) continue;
    if (base_definitions[anchor] != c && !is_declaration(table.words(c).data()))
      redefined.push_back(anchor_bit | anchor);
  }
  return redefined;
}

/// Which of `classes` are tainted at the moment, as numbers from `first` on.
std::vector<uint32_t> Deduplicator::Impl::find_tainted(std::span<const uint32_t> classes,
                                                       uint32_t first) const {
  unsigned threads = choose_threads(classes.size(), options.threads);
  std::vector<std::vector<uint32_t>> found(threads);
  std::span<const uint8_t> is_tainted = taint.of_classes();
  size_t other = is_tainted.size() - 1;
  run_threads(threads, [&](unsigned i) {
    size_t begin = classes.size() / threads * i;
    size_t end = i + 1 == threads ? classes.size() : begin + classes.size() / threads;
    auto look_at = [&](size_t n) {
      if (taint.of_class(classes[n])) found[i].push_back(first + static_cast<uint32_t>(n));
    };
    // In most runs of types there is none.
    constexpr size_t run = 16;
    for (; end - begin >= run; begin += run) {
      unsigned any = 0;
      for (size_t n = begin; n < begin + run; ++n)
        any |= is_tainted[std::min<size_t>(classes[n], other)];
      for (size_t n = begin; any != 0 && n < begin + run; ++n) look_at(n);
    }
    for (; begin < end; ++begin) look_at(begin);
  });
  for (size_t i = 1; i < found.size(); ++i)
    std::ranges::copy(found[i], std::back_inserter(found[0]));
  return std::move(found.front());
}

/// Whether a unit should be cut into parts. To do so costs a pass over its types,
/// and is worth it where many are tainted.
///
/// Not so a unit whose types are all different, as those of this program's
/// output, which must not change when it is deduplicated again. Where units were
/// put together, some type that is not tainted is there more than once.
bool Deduplicator::Impl::is_worth_cutting(const Unit& unit, size_t tainted_types,
                                          std::span<const uint32_t> seen) const {
  constexpr size_t worthwhile = 1024;
  if (options.base != nullptr || tainted_types < unit.classes.size() / worthwhile) return false;
  auto is_tainted = [&](uint32_t c) { return taint.of_class(c); };
  auto tainted_classes = static_cast<size_t>(std::ranges::count_if(seen, is_tainted));
  auto omitted = static_cast<size_t>(std::ranges::count(unit.classes, omitted_class));
  return unit.classes.size() - omitted - tainted_types > seen.size() - tainted_classes;
}

/// Of the tainted `ids` of a unit that is in parts, those that reach a name which
/// their own part, not only some other, defines in more than one way. As in the
/// base, a forward declaration beside a definition counts as another: the unit
/// has more than one that it may mean.
std::vector<uint32_t> Deduplicator::Impl::find_tainted_in_parts(Unit& unit,
                                                                std::span<const uint32_t> ids) {
  std::vector<uint32_t> tainted, seen;
  for (size_t part = 0, begin = 0, end = 0; part < unit.parts.size(); ++part, begin = end) {
    size_t end_id = unit.first_id + unit.parts[part] + unit.part(part).size();
    seen.clear();
    for (; end < ids.size() && ids[end] < end_id; ++end) seen.push_back(unit.class_of(ids[end]));
    taint.spread(seen, find_ambiguous(seen, true));
    std::ranges::copy_if(ids.subspan(begin, end - begin), std::back_inserter(tainted),
                         [&](uint32_t id) { return taint.of_class(unit.class_of(id)); });
  }
  return tainted;
}

/// Moves types of a unit to local classes.
void Deduplicator::Impl::localize(const Btf& btf, Unit& unit, std::span<const uint32_t> ids) {
  if (ids.empty()) return;
  if (!canonicalizer.is_at(btf, classes_of(btf, unit)))
    canonicalizer.attach(btf, base().classes, classes_of(btf, unit));
  canonicalizer.localize(ids);
  class_users.resize(table.class_count(), 1);
}

/// Moves the types of the base that can reach one of these anchors to local
/// classes.
void Deduplicator::Impl::localize_base(std::span<const Reference> anchors) {
  taint.spread(base_classes, anchors);
  std::erase_if(base_classes, [&](uint32_t c) {
    if (!taint.of_class(c)) return false;
    --class_users[c];
    if (uint32_t anchor = table.anchor_of(c); anchor != 0) base_definitions[anchor] = 0;
    return true;
  });
  for (const Btf* btf = options.base; btf != nullptr; btf = btf->base())
    localize(*btf, base(), find_tainted(classes_of(*btf, base()), btf->first_id()));
}

std::expected<void, Error> Deduplicator::Impl::take_base(const Btf& btf) {
  std::vector<const Btf*> chain;
  for (const Btf* link = &btf; link != nullptr; link = link->base()) chain.push_back(link);
  base().classes.resize(btf.end_id() - 1);
  for (const Btf* link : std::views::reverse(chain)) {
    if (auto ok = check_room(Size(*link)); !ok) return ok;
    std::span<uint32_t> classes = base().classes;
    uint32_t count = link->end_id() - link->first_id();
    auto ok = canonicalizer.run(*link, classes, classes.subspan(link->first_id() - 1, count));
    if (!ok) return ok;
    std::ranges::copy(canonicalizer.classes_seen(), std::back_inserter(base_classes));
  }
  std::ranges::sort(base_classes);
  auto repeated = std::ranges::unique(base_classes);
  base_classes.erase(repeated.begin(), repeated.end());
  count_users(base_classes);

  base_definitions.resize(table.anchor_count());
  for (uint32_t c : base_classes)
    if (!is_declaration(table.words(c).data())) base_definitions[table.anchor_of(c)] = c;
  base_definitions[0] = 0;
  std::vector<Reference> ambiguous = find_ambiguous(base_classes, true);
  if (!ambiguous.empty()) localize_base(ambiguous);
  return {};
}

/// Whether an input that was not checked before it was classified is plainly in
/// order.
bool Deduplicator::Impl::is_valid() {
  return canonicalizer.check_rest({}) &&
         !may_contain_themselves(table, canonicalizer.classes_seen());
}

/// Taints what names do not tell the meaning of in the input at hand. Returns whether
/// there is anything.
bool Deduplicator::Impl::taint_confused() {
  const std::vector<uint32_t>& seen = canonicalizer.classes_seen();
  std::vector<Reference> ambiguous = find_ambiguous(seen, false);
  std::ranges::copy(find_redefined(seen), std::back_inserter(ambiguous));
  if (ambiguous.empty()) return false;
  std::vector<uint32_t> reachable = seen;
  std::ranges::copy(base_classes, std::back_inserter(reachable));
  if (!base_classes.empty()) localize_base(ambiguous);
  taint.spread(reachable, ambiguous);
  return true;
}

/// The types of an input, which have their classes, that names do not tell the
/// meaning of.
std::vector<uint32_t> Deduplicator::Impl::find_confused(const Unit& unit) {
  return taint_confused() ? find_tainted(unit.classes, unit.first_id) : std::vector<uint32_t>();
}

/// The same of an input that is_valid(), or nothing.
std::optional<std::vector<uint32_t>> Deduplicator::Impl::find_confused_if_valid(const Btf& btf,
                                                                                const Unit& unit) {
  if (canonicalizer.is_invalid()) return std::nullopt;
  bool valid = false, confused = false;
  unsigned threads = std::min(2u, choose_threads(count_words(btf), options.threads));
  run_threads(threads, [&](unsigned i) {
    if (i == 0) confused = taint_confused();
    if (i + 1 == threads) valid = is_valid();
  });
  if (!valid) return std::nullopt;
  return confused ? find_tainted(unit.classes, unit.first_id) : std::vector<uint32_t>();
}

/// Takes in an input, given the types that find_confused() found.
void Deduplicator::Impl::take_classified(const Btf& btf, Unit& unit,
                                         std::span<const uint32_t> confused) {
  unit.firsts = canonicalizer.firsts();
  unit.has_firsts = !unit.firsts.empty();
  std::vector<uint32_t> seen = canonicalizer.classes_seen();
  count_users(seen);
  if (confused.empty()) return;
  std::vector<uint32_t> had(confused.size());
  std::ranges::transform(confused, had.begin(), [&](uint32_t id) { return unit.class_of(id); });
  if (is_worth_cutting(unit, confused.size(), seen)) {
    unit.parts = find_parts(btf, unit.classes, seen, table);
    // A class may move to a local one where it comes first, and stay elsewhere.
    unit.has_firsts = false;
    localize(btf, unit, find_tainted_in_parts(unit, confused));
  } else {
    // Of circles without an anchor, which have classes that are not found by names
    // either, nobody keeps a list.
    bool has_circles = !table.reserved().empty();
    localize(btf, unit, confused);
    unit.is_settled = !has_circles;
    unit.tainted.assign(confused.begin(), confused.end());
    for (uint32_t& id : unit.tainted) id -= unit.first_id;
  }
  uncount_unused(had, unit, confused);
}

}  // namespace bpflink
