// Deduplicates BTF types. Begin here: what deduplication means, how it works, and its passes.
//
// WHAT IT MEANS
//
// Every compilation unit brings its own copy of the types in the headers that it includes. The 3.4
// million types of a kernel's units are 95,000 different ones. Two types are *equal* if their
// kinds, names and numbers (sizes, offsets, values, flags) agree, and the types that they refer to
// are equal, pairwise. Types refer to each other in circles, so equality is the coarsest relation
// with that property: two types are equal unless some path leads to a difference.
//
//   struct list { struct list *next; int x; };      equal in all units: following `next` leads to
//                                                   nothing new
//
// VARs and DATASECs are objects, not types, and equal only to themselves. So are types of unknown
// kinds. Any of their words may be a type id or a string offset, so they are kept only if no id and
// no string offset of their input changes. Otherwise they are an error.
//
// A *tag* is the name of a struct, a union or an enum; each of the three has a tag space of its
// own. A tag is *ambiguous* if its definitions, in all inputs and the base, differ even when the
// tags within them are compared by name only. A definition or declaration of an ambiguous tag is
// *tainted*, and so is every type that refers to a tainted type. If two drivers give private
// structs one name, that tag is ambiguous, and a pointer to either struct is tainted.
//
// A *unit* is what one run of the compiler saw. Normally an input is one unit. No compiler writes
// an untainted type twice. (Objects do not count: they may have any names.) So an input with two
// equal untainted types was merged from several units. It is split into the connected components of
// its type graph (merge/bindings.cpp).
//
// A *forward declaration* (a FWD, or an enum without enumerators) may resolve to a definition of
// its tag. The set of units and the base decide which one; their order never does:
//
//   R1  If the declaration's own input (any of its units) or the base defines the tag, ambiguous or
//       not, and all these definitions are equal: to that one.
//   R2  Otherwise, if the tag is not ambiguous, its definitions may still differ in the meaning of
//       ambiguous tags that they reach. Consider only units that agree with the declaration's unit
//       on the meaning of each of these tags ("only declared" is a meaning like any other). If all
//       definitions in these units are equal: to that one.
//   R3  Otherwise, if the tag is not ambiguous, and all its definitions in all units and the base
//       are equal: to that one. Otherwise the declaration stays one. Two types that differ only
//       there stay two. Never guess.
//
//   a.c: struct task; struct ops { void (*run)(struct task *); };
//   b.c: struct task { int id; };   ...and the same ops            R3: one task, one ops
//   and also
//   c.c: struct task { long id; };  ...and the same ops            `task` is ambiguous. What a.c
//                                                                  means is unknown, so there are
//                                                                  three ops: with b.c's task,
//                                                                  c.c's, and a declared one
//
// Equality depends on how declarations resolve, and that depends on equality. The result is the
// greatest fixed point: assume that all types are equal that may be, and retract what turns out to
// differ (merge/resolve.cpp). A declaration that an earlier rule gave up does not come back to
// it, even if what made its definitions differ was a later rule's assumption, retracted afterwards.
//
// The *base* of split BTF does not change. Its types are referred to by their ids, its declarations
// are not resolved, and a unit's type that is equal to a type of the base becomes that type. In
// a module of a kernel, a struct or union also does if all that differs is that the module defines
// what the kernel only declares: otherwise it would have a task_struct of its own.
//
// The *output* has one of each set of equal types, in order of first occurrence. Only this order
// depends on the order of ids and inputs. Nothing depends on the number of threads or on hashes.
// Adding an input twice adds only its objects. Deduplicating the output again changes nothing
// (with a base, rarely: what the first run gave up, the second may resolve).
// tests/unit/meaning.cpp computes the same in the simplest way, and tests compare both.
//
// HOW IT WORKS
//
// Two types can be compared by a walk over both graphs. Doing so for each of 600,000 structs would
// walk much of the graph again and again. But nearly every circle of C types passes through a tag.
// Call a named struct, union or enum, or a declaration of one, an *anchor*. The *canonical key* of
// a type is its BTF record (name, kind, numbers, elements) with each reference to an anchor
// replaced by the tag space and name, and each other reference by the *class* of the type referred
// to. All types with one key form a class, which has a number. Classifier::translate()
// (merge/classifier.cpp) makes the key; matcher.cpp compares a type with a key without making
// one. Each type is looked at once. Only circles that no tag breaks are left for another pass
// (merge/circles.cpp).
//
//   struct node { struct node *next; int x; };       class 1: INT int 4
//                                                    class 2: PTR -> "struct node"
//                                                    class 3: STRUCT node {next 2, x 1}
//
// If all definitions of a tag are in one class, types of one class are equal. Declarations of the
// tag form another class and need no further work: their referrers refer to the name, which in the
// output is the definition's (write_types.cpp). This settles all types but the tainted ones, whose
// keys say too little. These are usually few. Each of them is a node of a
// graph, which partition refinement settles: give each type the color of its class. While two types
// of one color refer to different colors, give them different colors. In the end each color is a
// *tainted class*, which replaces the class of its types. For R2, a unit's definitions are compared
// by the meaning of each ambiguous tag that they reach, their *binding* (merge/bindings.cpp).
//
// A hash only finds candidates; words decide. No function recurses on input. The time is linear in
// the input, and n log n in the tainted types for each retraction.
#include <chrono>
#include <stdexcept>
#include <unordered_set>

#include "dedup/format/check_types.hpp"
#include "dedup/format/reader.hpp"
#include "dedup/merge/deduplication.hpp"
#include "dedup/messages.hpp"
#include "dedup/try.hpp"

namespace bpflink {

namespace {

/// The error for a type of the output that contains itself: either an input has such a type, or a
/// declaration resolved to the struct that it is a member of.
Error containment_error(const Deduplication& d, const BtfBuilder& output, uint32_t id) {
  for (const Input& input : d.inputs)
    if (auto own = find_self_containing(input.types()))
      return {input.name + ": " + contains_itself(describe_type(input.btf, *own)).message};
  BtfType type = output.type(id);
  return {"after declarations are resolved, " +
          contains_itself(describe_type(id, type.kind(), output.name(type))).message};
}

/// The error for too many bytes of strings; names the input if one alone has too many. Only names
/// that begin within other strings can make so many: each becomes a string of its own.
Error strings_error(const Deduplication& d) {
  constexpr size_t limit = max_string_offset + 1;
  std::string message = "strings that begin within others take more than " + std::to_string(limit) +
                        " bytes, the kernel's limit";
  for (const Input& input : d.inputs) {
    size_t bytes = 0;
    std::unordered_set<uint32_t> offsets;
    for (uint32_t id = input.btf.first_id(); id < input.btf.end_id() && bytes <= limit; ++id)
      for_each_string(input.types().words_of(id), [&](uint32_t offset) {
        if (bytes <= limit && offsets.insert(offset).second)
          bytes += input.btf.string(offset).size() + 1;
      });
    if (bytes > limit && bytes > input.btf.strings().size()) return {input.name + ": " + message};
  }
  return {std::move(message)};
}

/// Flattening: a base and what is split from it become one blob that stands alone.
///
/// Split BTF continues the type ids and string offsets of its base. So the two, one after the
/// other, already are one valid blob, and no word in them changes:
///
///   base    [1] INT int   [2] FWD task   [3] PTR -> 2     strings  0..100
///   split   [4] STRUCT task {[1] id}     [5] PTR -> 4     strings  100..140
///
/// But the base did not change while inputs were deduplicated against it. As part of the whole, its
/// declarations may resolve to definitions of the inputs: here [2] to [4], and then [3] and [5] are
/// equal. So the joined blob is deduplicated once more, without a base. If no types of the base
/// merge, they keep their ids.
std::expected<DedupResult, Error> flatten(const DedupOptions& options,
                                          std::span<const BtfKindLayout> layout,
                                          DedupResult split) {
  auto joined = TRY(join(split.types, layout));
  split.types = BtfBuilder();
  Deduplicator deduplicator(
      {.threads = options.threads, .borrow_inputs = true, .sort = options.sort});
  deduplicator.add("base and the types split from it", joined);
  auto flat = deduplicator.run();
  if (!flat) return flat;
  compose(split.type_maps, flat->type_maps[0]);
  flat->type_maps = std::move(split.type_maps);
  flat->classify_seconds += split.classify_seconds;
  return flat;
}

std::expected<DedupResult, Error> deduplicate(Deduplication& d) {
  // Find the class of each type by its key (merge/classifier.cpp). This takes nearly all the
  // time, so several workers share it (merge/workers.cpp). Tags are compared by name.
  auto start = std::chrono::steady_clock::now();
  TRY(classify_types(d));
  std::chrono::duration<double> classify_time = std::chrono::steady_clock::now() - start;

  // Merge equal circles that no tag breaks. Their keys would be infinite, so each type that closes
  // such a circle has a private class up to here (merge/circles.cpp). After this pass equal keys
  // have equal classes.
  merge_circles(d);

  // Replace the classes of tainted types by tainted classes, which tell types of equal keys apart.
  // This needs all definitions of all inputs. It also lists the types that may be the first of
  // their class, so that the next pass looks at no others (merge/find_tainted_classes.cpp).
  TRY(find_tainted_classes(d));

  // Write one type for each class that is left (write_types.cpp).
  auto result = write_types(d);
  if (!result) return result;
  result->classify_seconds = classify_time.count();

  // Refuse types that contain themselves: they have no size. Checked here, where each type is there
  // once, and not for each input.
  if (auto id = find_self_containing(result->types))
    return std::unexpected(containment_error(d, result->types, *id));

  // With --flatten, deduplicate base and output together. The passes above did not
  // change the base.
  if (!d.options.flatten || !d.options.base) return result;
  d.inputs.clear();  // free memory no longer needed
  d.table = ClassTable();
  d.tainted_classes = TaintedClasses();
  return flatten(d.options, d.layout, std::move(*result));
}

/// Adds the kinds of a layout section to those of earlier inputs. They must agree on the kinds that
/// the library does not know.
std::expected<void, Error> merge_layout(std::vector<BtfKindLayout>& layout, const Btf& btf) {
  for (size_t kind = known_kinds; kind < std::min(layout.size(), btf.layout().size()); ++kind)
    if (layout[kind] != btf.layout()[kind])
      return fail("layout section gives other sizes for kind " + std::to_string(kind) +
                  " than that of an earlier input");
  if (btf.layout().size() > layout.size()) layout.assign(btf.layout().begin(), btf.layout().end());
  return {};
}

/// Whether ids and string offsets of an input continue those of the base.
bool is_split_from(const BtfView& btf, const Btf* base) {
  return btf.first_id() == (base ? base->end_id() : 1) &&
         btf.string_begin() == (base ? base->string_end() : 0);
}

}  // namespace

bool is_sorted_by_name(const BtfView& btf) {
  for (uint32_t id = btf.first_id() + 1; id < btf.end_id(); ++id)
    if (uint32_t name = btf.type(id).name_off(), before = btf.type(id - 1).name_off();
        name != before && btf.string(name) < btf.string(before))
      return false;
  return true;
}

struct Deduplicator::Impl {
  Deduplication state;

  void add(std::string name, Btf btf, const std::vector<bool>& omit) {
    if (auto ok = merge_layout(state.layout, btf); !ok && !state.failure)
      state.failure = Error{name + ": " + ok.error().message};
    if (!is_split_from(btf, state.options.base) && !state.failure)
      state.failure = Error{name + (state.options.base ? ": is not split from the given base"
                                                       : ": is split, and no base is given")};
    if (state.failure) return;
    Input& input = state.inputs.emplace_back(std::move(name), std::move(btf));
    if (omit.empty()) return;
    const BtfView& types = input.types();
    input.class_of_type.resize(types.end_id() - types.first_id());
    auto type_class = input.class_of_type.begin();
    size_t end = std::min<size_t>(omit.size(), types.end_id());
    for (size_t id = types.first_id(); id < end; ++id, ++type_class)
      if (omit[id]) *type_class = omitted_class;
    input.has_omissions = true;
  }

  Btf adopt(const Btf& btf) const { return state.options.borrow_inputs ? share(btf) : copy(btf); }
};

Deduplicator::Deduplicator(DedupOptions options) : impl_(std::make_unique<Impl>()) {
  Deduplication& d = impl_->state;
  d.options = options;
  d.table.is_for_kernel = options.for_kernel;
  d.table.has_base = options.base != nullptr;
  if (!options.flatten) return;
  for (const Btf* base = options.base; base != nullptr; base = base->base())
    if (auto ok = merge_layout(d.layout, *base); !ok)
      d.failure = Error{"base: " + ok.error().message};
}

Deduplicator::Deduplicator(Deduplicator&&) noexcept = default;
Deduplicator& Deduplicator::operator=(Deduplicator&&) noexcept = default;
Deduplicator::~Deduplicator() = default;

void Deduplicator::add(std::string name, const Btf& btf, const std::vector<bool>& omit) {
  impl_->add(std::move(name), impl_->adopt(btf), omit);
}

void Deduplicator::add(std::vector<DedupInput> inputs) {
  impl_->state.inputs.reserve(impl_->state.inputs.size() + inputs.size());
  for (DedupInput& input : inputs)
    impl_->add(std::move(input.name), impl_->adopt(*input.btf), input.omit);
}

std::expected<Btf, Error> Deduplicator::add_blob(std::string name,
                                                 std::span<const std::byte> blob) {
  const DedupOptions& options = impl_->state.options;
  auto btf = parse_without_cycle_check(blob, options.base);
  if (btf) add(std::move(name), *btf);
  return btf;
}

std::expected<DedupResult, Error> Deduplicator::run() {
  if (impl_->state.failure) return std::unexpected(*impl_->state.failure);
  try {
    return deduplicate(impl_->state);
  } catch (const std::length_error&) {
    return std::unexpected(strings_error(impl_->state));
  }
}

}  // namespace bpflink
