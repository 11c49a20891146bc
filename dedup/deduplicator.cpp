// Merges equal types.
//
// The problem. Every compilation unit brings its own copy of the types of the
// headers that it includes: the 3.4 million types of a kernel's units are
// 95,000 different ones. Two types are equal if they have the same kind, name
// and numbers, and refer to equal types in the same places. As types refer to
// each other in circles (a list node has a pointer to list nodes) this cannot
// be computed from the leaves up, and to compare two types by walking both
// their graphs, as is usual, means to walk much of the graph again for each of
// the 600,000 structs.
//
// Anchors. But circles of C types all pass through a tag: a struct, union or
// enum with a name, or a forward declaration of one. Call these anchors. As
// long as a name means only one type, a reference to an anchor says all there
// is to say by giving the name. So we write every type in a canonical form:
// its words, with each reference to an anchor replaced by the anchor's name,
// and each other reference by the class of the type referred to. A class is a
// set of types with equal forms, found by looking the form up among all forms
// so far. To write a form we need the classes of some types that it refers to,
// of theirs in turn, and so on until anchors end it; there are no circles, and
// each type is looked at once. What is compared is forms, one level deep and
// word by word. A hash only finds candidates.
//
//   struct node { struct node *next; int x; };       forms:  #1 INT int 4
//                                                            #2 PTR -> "struct node"
//                                                            #3 STRUCT node {next #2, x #1}
//
// Forward declarations need nothing more: `struct node;` has the same name, so
// a pointer to it has the same form as a pointer to the definition, and at the
// end there is one definition of that name for both. (canonicalize.cpp)
//
// Ambiguous names. That leaves the names with several definitions: 11 of 8,569
// in a kernel, private structs of drivers that happen to share a name. What can
// reach such a name through references is tainted: its form says too little.
// There are two cases.
// - One unit has both definitions, which scopes allow in C, or which happens if
//   the "unit" is a whole kernel. Then the names do not tell what is meant even
//   within the unit, but its ids do. So the tainted types of the unit get local
//   classes at once: one for each type, with references to each other by class,
//   not by name.
// - Each unit has one definition. Then the class tells what is meant, together
//   with which definitions the ambiguous names that it can reach have in the
//   unit. Units that agree on these share the type: an instance. A unit that
//   only declares an ambiguous name goes with the units that it has most in
//   common with. (environments.cpp, completion.cpp, instances.cpp)
// An input that was put together from many units has both definitions of a name
// easily, and if that is a name at the center, such as that of a kernel's struct
// for tasks, because half of the files were compiled with another setting, then
// nearly all its types are tainted. So before types get local classes an input is
// cut where no reference crosses, and each part is a unit again. (parts.cpp)
// When all inputs are in, local classes and instances form a graph of tainted
// types, usually of a few hundred. Partition refinement (refine.cpp) tells them
// apart: color each by its own words; then, as long as there are two of one
// color whose children differ in color, give them different colors. That gives
// the fewest types that can be told from each other. Forward declarations of
// ambiguous names are resolved in this graph where there is evidence for one
// definition (fold.cpp).
//
// Circles without an anchor, as a typedef that refers to itself through a
// pointer, cannot come from C but can from elsewhere. A type that closes one
// gets a class of its own, and what refers to it is tainted: refinement deals
// with circles as with anything else.
//
// The base of split BTF is a unit whose types keep their ids and whose forward
// declarations are never resolved, as it must not change.
//
// After an input is added nothing of it is needed but the class of each type;
// forms are kept once for each class. So memory grows with what is different,
// but for one word a type.
//
// Checks. What is said of ids, offsets and cycles above supposes that they have
// been checked. Of a large blob most types turn out to be equal to some that came
// before, and what is equal to a type that is in order is in order. So add_blob()
// has only those checked that are not plainly equal to another; whether a type
// contains itself is asked of the classes. (canonicalize.cpp, class_cycles.cpp)
//
// Cost: time in proportion to the inputs, and n log n in the tainted types. On
// the kernel's 133 MB this is more than six times faster than comparing graphs,
// and about ten with two threads.
#include <algorithm>
#include <optional>
#include <ranges>
#include <unordered_map>
#include <utility>

#include "bpflink/dedup.hpp"
#include "dedup/btf_check.hpp"
#include "dedup/canonicalize.hpp"
#include "dedup/class_cycles.hpp"
#include "dedup/emit.hpp"
#include "dedup/fold.hpp"
#include "dedup/instances.hpp"
#include "dedup/large_inputs.hpp"
#include "dedup/parallel.hpp"
#include "dedup/parts.hpp"
#include "dedup/run_threads.hpp"
#include "dedup/taint.hpp"
#include "dedup/type_reader.hpp"
#include "dedup/type_table.hpp"
#include "dedup/unit.hpp"

namespace bpflink {

namespace {

/// How much an input, or several, may add to a table.
struct Size {
  uint64_t types = 0;
  uint64_t words = 0;
  uint64_t string_bytes = 0;

  Size() = default;
  explicit Size(const Btf& btf)
      : types(btf.end_id()),
        words(type_section(btf).words.size()),
        string_bytes(btf.string_end()) {}

  void add(const Size& other) {
    types += other.types;
    words += other.words;
    string_bytes += other.string_bytes;
  }
};

}  // namespace

struct BPFLINK_INTERNAL Deduplicator::Impl {
  DedupOptions options;
  TypeTable table;
  Canonicalizer canonicalizer{table};
  Taint taint{table};
  std::vector<Unit> units{1};         ///< the base, empty if there is none, and the inputs
  std::vector<uint32_t> class_users;  ///< how many units have types of a class
  std::vector<BtfKindLayout> layout;
  std::vector<uint32_t> definitions;  ///< by anchor, 0 but within find_ambiguous()
  std::optional<Error> failure;
  /// Whether it is known that no type contains itself, even if each forward declaration
  /// stands for its definition.
  bool is_sound = false;

  /// The base's classes that are not local.
  std::vector<uint32_t> base_classes;
  /// By anchor: the one of these that defines it, or 0.
  std::vector<uint32_t> base_definitions;

  Unit& base() { return units.front(); }

  std::expected<void, Error> take_layout(const Btf& btf);
  std::expected<void, Error> check_room(const Size& size) const;
  unsigned choose_sharers(std::span<const DedupInput> inputs) const;
  std::expected<void, Error> take_base(const Btf& btf);
  std::expected<void, Error> classify(const Btf& btf, Unit& unit, bool has_omissions,
                                      Checks checks);
  bool is_valid();
  bool taint_confused();
  std::vector<uint32_t> find_confused(const Unit& unit);
  std::optional<std::vector<uint32_t>> find_confused_if_valid(const Btf& btf, const Unit& unit);
  void take_classified(const Btf& btf, Unit& unit, std::span<const uint32_t> confused);
  void add(const Btf& btf, Unit& unit, bool has_omissions);
  void add(DedupInput input);
  void add_in_parallel(std::vector<DedupInput> inputs, unsigned threads);
  void add_sorted(SortedInputs sorted);
  std::vector<Unit> make_units(std::vector<DedupInput>& inputs);
  void take_units(const std::vector<DedupInput>& inputs, std::vector<Unit> added);
  std::vector<uint32_t> take_table(TypeReader& reader);
  void leave_out(SortedInputs& all);
  void take_sorted(Unit& unit, SortedTypes sorted, std::span<const uint32_t> merged);

  void count_users(std::span<const uint32_t> classes);
  void uncount_unused(std::span<const uint32_t> had, const Unit& unit,
                      std::span<const uint32_t> ids);
  std::vector<Reference> find_ambiguous(std::span<const uint32_t> classes, bool is_base);
  std::vector<Reference> find_redefined(std::span<const uint32_t> classes) const;
  std::vector<uint32_t> find_tainted(std::span<const uint32_t> classes, uint32_t first) const;
  bool is_worth_cutting(const Unit& unit, size_t tainted_types,
                        std::span<const uint32_t> seen) const;
  std::vector<uint32_t> find_tainted_in_parts(Unit& unit, std::span<const uint32_t> ids);
  void localize(const Btf& btf, Unit& unit, std::span<const uint32_t> ids);
  void localize_base(std::span<const Reference> anchors);

  std::vector<Reference> find_taint_sources() const;
  std::vector<uint32_t> used_classes() const;
  void taint_ambiguous();
  std::expected<void, Error> check_sizes(const BtfBuilder& types) const;
  std::vector<uint32_t> choose_representatives() const;
};

namespace {

std::unexpected<Error> fail(std::string message) {
  return std::unexpected(Error{std::move(message)});
}

/// The part of a unit's classes that are of the types of one link of a chain of
/// split BTF.
std::span<uint32_t> classes_of(const Btf& btf, Unit& unit) {
  return std::span(unit.classes)
      .subspan(btf.first_id() - unit.first_id, btf.end_id() - btf.first_id());
}

}  // namespace

std::expected<void, Error> Deduplicator::Impl::take_layout(const Btf& btf) {
  for (size_t kind = BTF_KIND_END; kind < std::min(layout.size(), btf.layout().size()); ++kind)
    if (layout[kind] != btf.layout()[kind])
      return fail("layout section gives other sizes for kind " + std::to_string(kind) +
                  " than that of an input before");
  if (btf.layout().size() > layout.size()) layout.assign(btf.layout().begin(), btf.layout().end());
  return {};
}

/// Whether more input will fit the 32-bit numbers, even if all in it is new.
std::expected<void, Error> Deduplicator::Impl::check_room(const Size& size) const {
  constexpr uint64_t max_classes = 1 << 28;
  constexpr uint64_t max_offset = UINT32_MAX;
  if (2 * size.types + table.class_count() > max_classes)
    return fail("too many different types to deduplicate");
  if (size.string_bytes + table.strings().size() > max_offset)
    return fail("too many different strings to deduplicate");
  if (2 * size.words + table.word_count() > max_offset)
    return fail("too large types to deduplicate");
  return {};
}

/// How many threads should have inputs to themselves.
unsigned Deduplicator::Impl::choose_sharers(std::span<const DedupInput> inputs) const {
  // What a thread has done by the time that another is started and its table merged.
  constexpr size_t least_words = large_from(1 << 16);
  if (options.base != nullptr || inputs.size() < 2) return 1;
  Size all;
  for (const DedupInput& input : inputs) {
    Size size(*input.btf);
    if (choose_threads(size.words, options.threads) > 1) return 1;  // it has threads itself
    all.add(size);
  }
  if (all.words < 2 * least_words || !check_room(all)) return 1;
  size_t threads = options.threads != 0 ? options.threads : std::thread::hardware_concurrency();
  return static_cast<unsigned>(std::min({threads, inputs.size(), size_t{most_threads}}));
}

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

/// Gives the types of an input their classes.
std::expected<void, Error> Deduplicator::Impl::classify(const Btf& btf, Unit& unit,
                                                        bool has_omissions, Checks checks) {
  if (auto ok = take_layout(btf); !ok) return ok;
  if (auto ok = check_room(Size(btf)); !ok) return ok;
  canonicalizer.set_consumed(options.consumed);
  unsigned threads = choose_threads(type_section(btf).words.size(), options.threads);
  if (threads == 1 || has_omissions || options.base != nullptr) {
    unit.classes.resize(btf.end_id() - btf.first_id());
    return canonicalizer.run(btf, base().classes, unit.classes, checks);
  }
  canonicalize_in_parallel(btf, unit.classes, table, canonicalizer, threads, options.consumed,
                           checks);
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
  unsigned threads = std::min(2u, choose_threads(type_section(btf).words.size(), options.threads));
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

/// The anchors that have more than one meaning in all inputs together, and the
/// classes that were not found by their forms.
std::vector<Reference> Deduplicator::Impl::find_taint_sources() const {
  std::vector<Reference> sources = table.reserved();
  std::vector<uint32_t> definitions(table.anchor_count());
  // A declaration in the base may not become the definition of an input.
  for (uint32_t c : base_classes)
    if (is_declaration(table.words(c).data())) definitions[table.anchor_of(c)] = c;
  for (uint32_t c = 1; c < class_users.size(); ++c) {
    uint32_t anchor = table.anchor_of(c);
    if (anchor == 0 || class_users[c] == 0 || is_declaration(table.words(c).data())) continue;
    if (definitions[anchor] != 0) sources.push_back(anchor_bit | anchor);
    definitions[anchor] = c;
  }
  return sources;
}

/// For each anchor its definition, if there is one, or a declaration. Enums that
/// are only declared may differ in size; the least is one that does not depend
/// on the order of inputs.
std::vector<uint32_t> Deduplicator::Impl::choose_representatives() const {
  std::vector<uint32_t> representatives(table.anchor_count());
  auto is_better = [&](uint32_t c, uint32_t than) {
    bool declares = is_declaration(table.words(c).data());
    if (declares != is_declaration(table.words(than).data())) return !declares;
    return declares && std::ranges::lexicographical_compare(table.words(c), table.words(than));
  };
  for (uint32_t c = 1; c < class_users.size(); ++c) {
    uint32_t& chosen = representatives[table.anchor_of(c)];
    if (class_users[c] != 0 && (chosen == 0 || is_better(c, chosen))) chosen = c;
  }
  return representatives;
}

namespace {

/// A unit whose classes have room, but no size yet.
Unit make_unit(std::string name, const Btf& btf) {
  Unit unit;
  unit.name = std::move(name);
  unit.first_id = btf.first_id();
  unit.classes.reserve(btf.end_id() - btf.first_id());
  return unit;
}

Unit make_unit(const DedupInput& input, std::string name) {
  const Btf& btf = *input.btf;
  Unit unit = make_unit(std::move(name), btf);
  if (!input.omit.empty()) unit.classes.resize(btf.end_id() - btf.first_id());
  for (uint32_t id = btf.first_id(); id < input.omit.size() && id < btf.end_id(); ++id)
    if (input.omit[id]) unit.classes[id - btf.first_id()] = omitted_class;
  return unit;
}

}  // namespace

Deduplicator::Deduplicator(DedupOptions options) : impl_(std::make_unique<Impl>()) {
  impl_->options = std::move(options);
  const Btf* base = impl_->options.base;
  if (base == nullptr) return;
  if (auto ok = impl_->take_base(*base); !ok) impl_->failure = ok.error();
}

/// The classes that types of any unit have.
std::vector<uint32_t> Deduplicator::Impl::used_classes() const {
  std::vector<uint32_t> used;
  for (uint32_t c = 1; c < class_users.size(); ++c)
    if (class_users[c] != 0) used.push_back(c);
  return used;
}

/// Fails if a type of the output contains itself. That no type of an input does is
/// not enough: a member's type may be only declared there, which is no C.
std::expected<void, Error> Deduplicator::Impl::check_sizes(const BtfBuilder& types) const {
  if (!may_contain_themselves(table, used_classes())) return {};
  auto blob = types.finish(std::endian::native);
  if (!blob) return {};  // a limit is exceeded, which finish() will say again
  auto btf = Btf::parse(*blob, options.base);
  if (!btf) return fail("where declarations are resolved, " + btf.error().message);
  return {};
}

/// Taints what the units together do not tell the meaning of by name, and lists it.
void Deduplicator::Impl::taint_ambiguous() {
  std::vector<Reference> sources = find_taint_sources();
  if (sources.empty()) return taint.clear();
  Unit& last = units.back();
  if (last.is_settled && units.size() == 2 && base().classes.empty()) {
    // What could reach an ambiguous name in the only unit is in local classes.
    std::vector<uint32_t> tainted(last.tainted.size());
    std::ranges::transform(last.tainted, tainted.begin(),
                           [&](uint32_t index) { return last.classes[index]; });
    return taint.spread(tainted, sources);
  }
  taint.spread(used_classes(), sources);
  for (Unit& unit : units) unit.tainted = find_tainted(unit.classes, 0);
}

Deduplicator::Deduplicator(Deduplicator&&) noexcept = default;
Deduplicator& Deduplicator::operator=(Deduplicator&&) noexcept = default;
Deduplicator::~Deduplicator() = default;

/// Gives the types of an input that was checked their classes, and takes it in.
void Deduplicator::Impl::add(const Btf& btf, Unit& unit, bool has_omissions) {
  if (auto ok = classify(btf, unit, has_omissions, Checks::done); !ok)
    failure = Error{unit.name + ": " + ok.error().message};
  else
    take_classified(btf, unit, find_confused(unit));
}

void Deduplicator::Impl::add(DedupInput input) {
  if (failure) return;
  is_sound = false;
  Unit unit = make_unit(input, std::move(input.name));
  add(*input.btf, unit, !input.omit.empty());
  units.push_back(std::move(unit));
}

/// Makes the units of inputs, without classes but for those of what is left out.
std::vector<Unit> Deduplicator::Impl::make_units(std::vector<DedupInput>& inputs) {
  std::vector<Unit> units;
  units.reserve(inputs.size());
  for (DedupInput& input : inputs) {
    units.push_back(make_unit(input, std::move(input.name)));
    units.back().classes.resize(input.btf->end_id() - input.btf->first_id());
    input.omit = {};
    if (auto ok = take_layout(*input.btf); !ok && !failure)
      failure = Error{units.back().name + ": " + ok.error().message};
  }
  return units;
}

/// Takes in units whose types have their classes.
void Deduplicator::Impl::take_units(const std::vector<DedupInput>& inputs,
                                    std::vector<Unit> added) {
  units.reserve(units.size() + added.size());
  for (size_t i = 0; i < added.size(); ++i) {
    canonicalizer.see_all(added[i].classes);
    take_classified(*inputs[i].btf, added[i], find_confused(added[i]));
    units.push_back(std::move(added[i]));
  }
}

void Deduplicator::Impl::add_in_parallel(std::vector<DedupInput> inputs, unsigned threads) {
  if (failure) return;
  is_sound = false;
  std::vector<Unit> added = make_units(inputs);
  std::vector<InputOfMany> many;
  many.reserve(inputs.size());
  for (size_t i = 0; i < inputs.size() && !failure; ++i)
    many.push_back({inputs[i].btf, added[i].classes});
  canonicalize_in_parallel(many, table, canonicalizer, threads, options.consumed);
  for (size_t i = 0; i < many.size(); ++i) {
    if (many[i].failure) failure = Error{added[i].name + ": " + many[i].failure->message};
    if (many[i].failure) break;
  }
  if (!failure) take_units(inputs, std::move(added));
}

/// Adds the classes of a reader to the table, and returns which they are there; none if
/// they are the same.
std::vector<uint32_t> Deduplicator::Impl::take_table(TypeReader& reader) {
  if (table.class_count() > 1) return table.absorb(reader.table(), {});
  table = std::move(reader.table());
  return {};
}

/// Leaves out types that readers have sorted. Where a class is new to a reader with such a
/// type, or in an ambiguous input, the next type of that class is noted, too.
void Deduplicator::Impl::leave_out(SortedInputs& all) {
  std::unordered_map<const TypeReader*, std::vector<bool>> lost;  // by class
  auto lose = [&](const TypeReader* reader, uint32_t type_class) {
    if (type_class == omitted_class) return;
    std::vector<bool>& classes = lost[reader];
    classes.resize(std::max<size_t>(classes.size(), type_class + 1));
    classes[type_class] = true;
  };
  for (size_t i = 0; i < all.inputs.size(); ++i) {
    SortedTypes& sorted = all.sorted[i];
    if (sorted.reader == nullptr) continue;
    for (uint32_t id : sorted.left_out)
      lose(sorted.reader, std::exchange(sorted.classes[id - all.inputs[i].btf->first_id()],
                                        omitted_class));
    if (!sorted.is_ambiguous) continue;
    for (uint32_t index : sorted.firsts) lose(sorted.reader, sorted.classes[index]);
  }
  for (SortedTypes& sorted : all.sorted) {
    auto found = lost.find(sorted.reader);
    if (found == lost.end() || sorted.is_ambiguous) continue;
    std::vector<bool>& classes = found->second;
    auto noted = static_cast<ptrdiff_t>(sorted.firsts.size());
    for (uint32_t index = 0; index < sorted.classes.size(); ++index) {
      uint32_t type_class = sorted.classes[index];
      if (type_class >= classes.size() || !classes[type_class]) continue;
      classes[type_class] = false;
      sorted.firsts.push_back(index);
    }
    std::ranges::inplace_merge(sorted.firsts, sorted.firsts.begin() + noted);
  }
}

/// Gives a unit the classes that a reader has sorted its types into, where `merged` says
/// which these are in the table.
void Deduplicator::Impl::take_sorted(Unit& unit, SortedTypes sorted,
                                     std::span<const uint32_t> merged) {
  unit.classes = std::move(sorted.classes);
  if (!merged.empty())
    for (uint32_t& type_class : unit.classes)
      if (type_class != omitted_class) type_class = merged[type_class];
  if (sorted.is_ambiguous) return;
  unit.firsts = std::move(sorted.firsts);
  unit.has_firsts = true;
  for (uint32_t index : unit.firsts)
    if (unit.classes[index] != omitted_class) ++class_users[unit.classes[index]];
}

void Deduplicator::Impl::add_sorted(SortedInputs all) {
  if (failure) return;
  is_sound = false;
  size_t first = units.size();
  units.reserve(first + all.inputs.size());
  for (DedupInput& input : all.inputs) {
    Unit& unit = units.emplace_back();
    unit.name = std::move(input.name);
    unit.first_id = input.btf->first_id();
    if (auto ok = take_layout(*input.btf); !ok && !failure)
      failure = Error{unit.name + ": " + ok.error().message};
  }
  std::unordered_map<const TypeReader*, std::vector<uint32_t>> merged;
  for (const auto& reader : all.readers)
    if (reader->is_usable()) merged.emplace(reader.get(), take_table(*reader));
  class_users.resize(table.class_count());
  canonicalizer.set_consumed(options.consumed);
  leave_out(all);
  for (size_t i = 0; i < all.inputs.size() && !failure; ++i) {
    DedupInput& input = all.inputs[i];
    Unit& unit = units[first + i];
    auto found = merged.find(all.sorted[i].reader);
    if (found == merged.end()) {
      all.mark_left_out(i);
      unit = make_unit(input, std::move(unit.name));
      add(*input.btf, unit, !input.omit.empty());
      continue;
    }
    bool is_ambiguous = all.sorted[i].is_ambiguous;
    take_sorted(unit, std::move(all.sorted[i]), found->second);
    if (!is_ambiguous) continue;
    canonicalizer.see_all(unit.classes);
    take_classified(*input.btf, unit, find_confused(unit));
  }
}

void Deduplicator::add(std::string name, const Btf& btf, std::vector<bool> omit) {
  impl_->add({std::move(name), &btf, std::move(omit)});
}

void SortedInputs::add_to(Deduplicator& deduplicator) && {
  Size all;
  for (const DedupInput& input : inputs) all.add(Size(*input.btf));
  bool has_room = deduplicator.impl_->check_room(all).has_value();
  if (!readers.empty() && has_room && deduplicator.impl_->options.base == nullptr)
    return deduplicator.impl_->add_sorted(std::move(*this));
  for (size_t i = 0; i < inputs.size(); ++i) mark_left_out(i);
  deduplicator.add(std::move(inputs));
}

void SortedInputs::mark_left_out(size_t i) {
  std::vector<bool>& omit = inputs[i].omit;
  omit.resize(inputs[i].btf->end_id());
  for (uint32_t id : sorted[i].left_out) omit[id] = true;
}

void Deduplicator::add(std::vector<DedupInput> inputs) {
  unsigned threads = impl_->choose_sharers(inputs);
  if (threads > 1) return impl_->add_in_parallel(std::move(inputs), threads);
  for (DedupInput& input : inputs) impl_->add(std::move(input));
}

std::expected<Btf, Error> Deduplicator::add_blob(std::string name,
                                                 std::span<const std::byte> blob) {
  const DedupOptions& options = impl_->options;
  // Below that, what is checked is still in the cache when it is classified.
  constexpr size_t worthwhile = large_from(1 << 21);
  if (blob.size() >= worthwhile && options.base == nullptr && !impl_->failure) {
    auto btf = parse_unchecked(blob, nullptr, options.threads);
    if (!btf) return btf;
    Unit unit = make_unit(name, *btf);
    if (auto ok = impl_->classify(*btf, unit, false, Checks::to_do); !ok) {
      impl_->failure = Error{unit.name + ": " + ok.error().message};
      return btf;
    }
    if (auto confused = impl_->find_confused_if_valid(*btf, unit)) {
      impl_->is_sound = impl_->units.size() == 1;
      impl_->take_classified(*btf, unit, *confused);
      impl_->units.push_back(std::move(unit));
      return btf;
    }
  }
  // Where there is something wrong, or only strange, all checks decide.
  auto btf = Btf::parse(blob, options.base, options.threads);
  if (btf) add(std::move(name), *btf);
  return btf;
}

std::expected<DedupResult, Error> Deduplicator::run() {
  if (impl_->failure) return std::unexpected(*impl_->failure);
  impl_->canonicalizer.release();
  impl_->table.release_index();
  impl_->taint_ambiguous();
  InstanceGraph graph(impl_->table, impl_->taint, impl_->units);
  Coloring coloring = color_instances(impl_->table, graph);
  Identity identity{impl_->table, impl_->choose_representatives(), impl_->taint, graph, coloring};
  DedupResult result = emit(identity, impl_->units, impl_->options);
  result.types.set_layout(std::move(impl_->layout));
  if (!impl_->is_sound)
    if (auto ok = impl_->check_sizes(result.types); !ok) return std::unexpected(ok.error());
  return result;
}

}  // namespace bpflink
