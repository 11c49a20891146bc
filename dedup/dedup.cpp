// Merges equal types. Begin here: what that means, how it is done, and the passes that do it.
//
// WHAT IT MEANS
//
// Every compilation unit brings its own copy of the types of the headers that it includes: the
// 3.4 million types of a kernel's units are 95,000 different ones. Two types are *equal* if their
// kinds, names and numbers (sizes, offsets, values, flags) agree and what they refer to is equal,
// pairwise. Types refer in circles, so this means the coarsest relation with that property: two
// types are equal unless there is a path along which they differ.
//
//   struct list { struct list *next; int x; };      equal in all units that have it so: to
//                                                   follow `next` leads nowhere new
//
// VARs and DATASECs are objects rather than types, and equal only themselves. So are types of kinds
// that the library does not know. These may refer to types and strings in any of their words, so
// they are carried only where no id of their input changes, and none of its strings moves;
// elsewhere they are an error.
//
// A *tag* is the name of a struct, of a union or of an enum; these are three tag spaces. A tag is
// *ambiguous* if its definitions, in all inputs and the base, differ even when each tag in them is
// only written by name. What has such a tag is *tainted*, a declaration as well as a definition,
// and so is what refers to something tainted. Where two drivers happen to give private structs one
// name, that tag is ambiguous, and a pointer to either struct is tainted.
//
// A *unit* is what a compiler saw at a time. An input is one; but no compiler writes an untainted
// type twice, so an input that has two equal ones (objects, which stay whatever they are called, do
// not count) was put together from several units, and is cut into the connected components of the
// graph of its types (ambiguity/units.cpp).
//
// A *forward declaration* (a FWD, or an enum without enumerators) may stand for a definition of
// its tag. Which one is decided by the set of units and the base alone, never by their order:
//
//   R1  Where the declaration's own input (in whichever of its units) or the base defines the tag,
//       be that ambiguous or not, and all these definitions are equal: that one.
//   R2  Else, if the tag is not ambiguous: its definitions may still differ in what the ambiguous
//       tags that they reach mean. Consider only the units that agree with the declaration's own on
//       what each of these means ("only declared" is a meaning like any other). Where all
//       definitions of the tag in these are equal: that one.
//   R3  Else, if the tag is not ambiguous, and all its definitions in all units and the base are
//       equal: that one. Otherwise it stays a declaration. Two types that differ only there stay
//       two. Never guess.
//
//   a.c: struct task; struct ops { void (*run)(struct task *); };
//   b.c: struct task { int id; };   ...and the same ops            R3: one task, one ops
//   with c.c, too:
//   c.c: struct task { long id; };  ...and the same ops            `task` is ambiguous: what a.c
//                                                                  means nobody knows, and there
//                                                                  are three ops: of b.c's task, of
//                                                                  c.c's, of one only declared
//
// Which types are equal depends on what declarations stand for, and that on which types are equal.
// What is meant is the greatest answer that holds: begin with all that may be equal, take back what
// turns out not to be (ambiguity/resolve.cpp).
//
// The *base* of split BTF does not change: its types are referred to by their ids, its
// declarations stay what they are, and a type of a unit that is equal to one of it is that one.
//
// The *output* has each of a set of equal types once, in order of first occurrence. Nothing but
// that order depends on the order of ids or of inputs, and nothing at all on the number of threads
// or on hashes. Inputs given twice add only their objects; deduplicating again changes nothing.
// tests/unit/meaning.cpp computes the same in the plainest way, and holds this against it.
//
// HOW IT IS DONE
//
// To compare two types by walking both their graphs means to walk much of the graph again for
// each of 600,000 structs. But nearly all circles of C types pass through a tag. Call a named
// struct, union or enum, or a declaration of one, an *anchor*. The *canonical key* of a type is
// its record as BTF has it (name, kind, numbers, elements), with each reference to an anchor
// replaced by tag space and name, and each other reference by the *class* of what it refers to.
// The types that have one key are a class, which is a number. What a key has of a type is decided
// by Classifier::translate() (classes/classifier.cpp) and, to the same effect, by match.cpp beside
// it. That leaves no circles but those that no tag breaks (classes/circles.cpp), and each type is
// looked at once.
//
//   struct node { struct node *next; int x; };       class 1: INT int 4
//                                                    class 2: PTR -> "struct node"
//                                                    class 3: STRUCT node {next 2, x 1}
//
// As long as all definitions of a tag are of one class, types of one class are equal, and
// declarations of the tag, which are another class, need nothing more: what refers to them refers
// to the same name, which in the output is the definition's (write_types.cpp). That settles all but
// the tainted types, whose keys say too little. Within a unit a tag means what the unit defines, so
// a tainted type is its class together with what the ambiguous tags that it can reach mean there,
// its *binding*. These *bound types* are a small graph, which partition refinement settles: color
// each by its class; then, as long as there are two of one color whose references differ in color,
// give them different colors. A color is what a tainted type means, and takes the place of its
// class.
//
// A hash only finds candidates. Nothing recurses on input, and all takes time in proportion to the
// input, or n log n in the tainted types for each time that something is taken back.
#include <chrono>
#include <stdexcept>
#include <unordered_set>

#include "dedup/deduplication.hpp"
#include "dedup/flatten.hpp"
#include "dedup/messages.hpp"

namespace bpflink {

namespace {

/// Whose fault it is that a type of the output contains itself: that of an input with such a type,
/// or nobody's, where a declaration stands for the struct that has it as a member.
Error containment_error(const Deduplication& d, const BtfBuilder& output, uint32_t id) {
  for (const Input& input : d.inputs)
    if (auto own = find_self_containing(input.types()))
      return {input.name + ": " + contains_itself(describe_type(input.btf, *own)).message};
  BtfType type = output.type(id);
  return {"where declarations are resolved, " +
          contains_itself(describe_type(id, type.kind(), output.name(type))).message};
}

/// Whose strings are too many. Only those that types name within others can be: each becomes one of
/// its own.
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

std::expected<DedupResult, Error> deduplicate(Deduplication& d) {
  // Each type gets the number of its class, by its key (classes/classifier.cpp). This is where
  // nearly all the time goes, and where several workers share it (classes/workers.cpp). Tags are
  // names here, whatever they mean.
  auto start = std::chrono::steady_clock::now();
  if (auto ok = classify_types(d); !ok) return std::unexpected(ok.error());
  std::chrono::duration<double> classify_time = std::chrono::steady_clock::now() - start;

  // Types in circles that no tag breaks have had a class each until here, because a key would have
  // no end there (classes/circles.cpp). After this pass equal keys have equal classes, without
  // exception.
  merge_circles(d);

  // Tainted types get numbers of their meanings in the place of their classes. Needs to know all
  // definitions of all inputs. On the way it lists the types that may be the first with their
  // number, for the next pass to look at no others (ambiguity/find_meanings.cpp).
  find_meanings(d);

  // What has the same number is one type of the output (write_types.cpp).
  auto result = write_types(d);
  if (!result) return result;
  result->classify_seconds = classify_time.count();

  // What contains itself has no size. The output has each type once, so this is the place to ask.
  if (auto id = find_self_containing(result->types))
    return std::unexpected(containment_error(d, result->types, *id));

  // All of the above took the base as it is. If it shall be part of the output, base and output
  // are deduplicated as one, without a base (flatten.cpp).
  if (!d.options.flatten || !d.options.base) return result;
  d.inputs.clear();  // what takes room and is needed no more
  d.table = ClassTable();
  d.meanings = Meanings();
  return flatten(d.options, d.layout, std::move(*result));
}

/// What layout sections say of the kinds that the library does not know must agree.
std::expected<void, Error> take_layout(std::vector<BtfKindLayout>& layout, const Btf& btf) {
  for (size_t kind = known_kinds; kind < std::min(layout.size(), btf.layout().size()); ++kind)
    if (layout[kind] != btf.layout()[kind])
      return fail("layout section gives other sizes for kind " + std::to_string(kind) +
                  " than that of an input before");
  if (btf.layout().size() > layout.size()) layout.assign(btf.layout().begin(), btf.layout().end());
  return {};
}

}  // namespace

bool is_sorted_by_name(const BtfView& btf) {
  for (uint32_t id = btf.first_id() + 1; id < btf.end_id(); ++id)
    if (btf.name(btf.type(id)) < btf.name(btf.type(id - 1))) return false;
  return true;
}

struct BPFLINK_INTERNAL Deduplicator::Impl {
  Deduplication state;

  void add(std::string name, Btf btf, const std::vector<bool>& omit) {
    if (auto ok = take_layout(state.layout, btf); !ok && !state.failure)
      state.failure = Error{name + ": " + ok.error().message};
    Input& input = state.inputs.emplace_back(std::move(name), std::move(btf));
    if (omit.empty()) return;
    const BtfView& types = input.types();
    input.elements.resize(types.end_id() - types.first_id());
    auto element = input.elements.begin();
    size_t end = std::min<size_t>(omit.size(), types.end_id());
    for (size_t id = types.first_id(); id < end; ++id, ++element)
      if (omit[id]) *element = omitted_class;
    input.has_omissions = true;
  }

  Btf keep(const Btf& btf) const { return state.options.borrow_inputs ? share(btf) : copy(btf); }
};

Deduplicator::Deduplicator(DedupOptions options) : impl_(std::make_unique<Impl>()) {
  Deduplication& d = impl_->state;
  d.options = options;
  d.table.is_for_kernel = options.for_kernel;
  if (!options.flatten) return;
  for (const Btf* base = options.base; base != nullptr; base = base->base())
    if (auto ok = take_layout(d.layout, *base); !ok)
      d.failure = Error{"base: " + ok.error().message};
}

Deduplicator::Deduplicator(Deduplicator&&) noexcept = default;
Deduplicator& Deduplicator::operator=(Deduplicator&&) noexcept = default;
Deduplicator::~Deduplicator() = default;

void Deduplicator::add(std::string name, const Btf& btf, const std::vector<bool>& omit) {
  impl_->add(std::move(name), impl_->keep(btf), omit);
}

void Deduplicator::add(std::vector<DedupInput> inputs) {
  impl_->state.inputs.reserve(impl_->state.inputs.size() + inputs.size());
  for (DedupInput& input : inputs)
    impl_->add(std::move(input.name), impl_->keep(*input.btf), input.omit);
}

std::expected<Btf, Error> Deduplicator::add_blob(std::string name,
                                                 std::span<const std::byte> blob) {
  const DedupOptions& options = impl_->state.options;
  auto btf = parse_but_for_containment(blob, options.base);
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
