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
#include <ranges>
#include <utility>

#include "dedup/ambiguity/fold.hpp"
#include "dedup/ambiguity/instances.hpp"
#include "dedup/classes/class_cycles.hpp"
#include "dedup/classes/emit.hpp"
#include "dedup/dedup_impl.hpp"

namespace bpflink {

Deduplicator::Deduplicator(DedupOptions options) : impl_(std::make_unique<Impl>()) {
  impl_->options = std::move(options);
  const Btf* base = impl_->options.base;
  if (base == nullptr) return;
  if (auto ok = impl_->take_base(*base); !ok) impl_->failure = ok.error();
}

Deduplicator::Deduplicator(Deduplicator&&) noexcept = default;
Deduplicator& Deduplicator::operator=(Deduplicator&&) noexcept = default;
Deduplicator::~Deduplicator() = default;

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
  if (!btf)
    return std::unexpected(Error{"where declarations are resolved, " + btf.error().message});
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
