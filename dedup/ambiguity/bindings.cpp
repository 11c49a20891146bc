// Finds the binding of each tainted type: what the ambiguous tags that it reaches mean in its unit.
//
// In a unit, an ambiguous tag means the class of the unit's definition. If the unit does not define
// the tag, it means "declared only". If the unit has several definitions, it means that set, which
// belongs to this unit alone. A unit's *profile* is the list of its meanings other than "declared
// only". The *binding* of a type is the part of its unit's profile that the type can reach.
//
//   struct task { int id; };                 a.c and b.c: the same task
//   struct ops { struct task *t; };          c.c: a task with another id, and the same ops
//
//   profile of a.c and b.c {task: class 7}   ops of both has binding {task: class 7}: one type
//   profile of c.c         {task: class 9}   ops of c.c has binding {task: class 9}: another type
//
// Units with one profile have the same bindings. Most programs have few profiles. But each module
// of a kernel may have its own, with a few tags that few types reach. So for each profile, the
// graph of tags and classes (whose circles are merged into strongly connected components) is
// searched backwards from the profile's tags, and nothing else is visited. The binding of a
// component consists of the meanings of its own tags and the bindings of the components that it
// refers to. Bindings are interned as numbers. The time is linear in what reaches the tags,
// whatever its depth.
#include "dedup/ambiguity/bindings.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <tuple>
#include <utility>

namespace bpflink {

namespace {

constexpr uint32_t none = UINT32_MAX;

/// The strongly connected components of the tainted nodes that `roots` reach. A component has a
/// higher number than those that it refers to. (Tarjan's algorithm with an explicit stack.)
class Components {
 public:
  Components(const Graph& graph, const std::vector<bool>& is_tainted,
             const std::vector<uint32_t>& roots)
      : graph_(graph),
        is_tainted_(is_tainted),
        of_(graph.size(), none),
        order_(graph.size(), none),
        low_(graph.size()) {
    for (uint32_t node : roots)
      if (is_tainted[node] && order_[node] == none) visit(node);
  }

  /// The component of a node, or `none` where no root reaches it or it is not tainted.
  uint32_t of(uint32_t node) const { return of_[node]; }
  uint32_t count() const { return members_.size(); }
  std::span<const uint32_t> members(uint32_t component) const { return members_.edges(component); }

 private:
  struct Frame {
    uint32_t node;
    uint32_t next = 0;  ///< which of its children comes next
  };

  void visit(uint32_t root) {
    frames_.push_back({root});
    enter(root);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      std::span<const uint32_t> children = graph_.edges(frame.node);
      if (frame.next < children.size()) {
        uint32_t child = children[frame.next++];
        if (!is_tainted_[child]) continue;
        if (order_[child] == none) {
          enter(child);
          frames_.push_back({child});
        } else if (of_[child] == none) {
          low_[frame.node] = std::min(low_[frame.node], order_[child]);
        }
        continue;
      }
      leave(frame.node);
      uint32_t low = low_[frame.node];
      frames_.pop_back();
      if (!frames_.empty()) low_[frames_.back().node] = std::min(low_[frames_.back().node], low);
    }
  }

  void enter(uint32_t node) {
    order_[node] = low_[node] = entered_++;
    open_.push_back(node);
  }

  /// If a node was the first to be entered of its component, closes the component.
  void leave(uint32_t node) {
    if (low_[node] != order_[node]) return;
    for (uint32_t member = none; member != node;) {
      member = open_.back();
      open_.pop_back();
      of_[member] = count();
      members_.targets.push_back(member);
    }
    members_.end_node();
  }

  const Graph& graph_;
  const std::vector<bool>& is_tainted_;
  Graph members_;                ///< by component
  std::vector<uint32_t> of_;     ///< by node, or `none`
  std::vector<uint32_t> order_;  ///< by node: when it was entered
  std::vector<uint32_t> low_;    ///< the first node entered that this one leads back to
  std::vector<uint32_t> open_;   ///< nodes of components that are not closed
  std::vector<Frame> frames_;
  uint32_t entered_ = 0;
};

/// What an ambiguous tag means in a unit, other than "declared only".
struct TagMeaning {
  uint32_t unit;
  uint32_t anchor;
  uint32_t value;  ///< the class of the definition, or several_bit and the unit

  auto operator<=>(const TagMeaning&) const = default;
};
constexpr uint32_t several_bit = 0x80000000;

/// The meanings of all units, in order of units. Adds units to `needs_own_node` that have both a
/// definition and a declaration of a tag, because the two may differ.
std::vector<TagMeaning> find_unit_meanings(const ClassTable& table, const Definitions& definitions,
                                           std::span<const TaintedType> types,
                                           std::vector<bool>& needs_own_node) {
  std::vector<TagMeaning> meanings, declared;
  for (const TaintedType& type : types) {
    uint32_t c = type.type_class;
    uint32_t anchor = table.anchor_of(c);
    if (anchor == 0 || !definitions.is_ambiguous(anchor)) continue;
    (table.is_definition(c) ? meanings : declared).push_back({type.unit, anchor, c});
  }
  std::ranges::sort(meanings);
  meanings.erase(std::ranges::unique(meanings).begin(), meanings.end());
  auto same_tag = [](const TagMeaning& a, const TagMeaning& b) {
    return a.unit == b.unit && a.anchor == b.anchor;
  };
  for (size_t i = 1; i < meanings.size(); ++i) {
    if (!same_tag(meanings[i - 1], meanings[i])) continue;
    meanings[i - 1].value = meanings[i].value = several_bit | meanings[i].unit;
  }
  meanings.erase(std::ranges::unique(meanings, same_tag).begin(), meanings.end());
  // A declaration beside the definition may mean something else: if the unit's input was merged
  // from units with other definitions, the declaration does not resolve to this one.
  for (const TagMeaning& declaration : declared) {
    auto found =
        std::ranges::lower_bound(meanings, TagMeaning{declaration.unit, declaration.anchor, 0});
    if (found != meanings.end() && same_tag(*found, declaration))
      needs_own_node[declaration.unit] = true;
  }
  return meanings;
}

/// The node of the graph whose binding is that of a type.
uint32_t node_of(const ClassTable& table, const TagGraph& graph, const TaintedType& type) {
  uint32_t anchor = table.anchor_of(type.type_class);
  return anchor != 0 ? anchor : graph.node_of_class(type.type_class);
}

class BindingFinder {
 public:
  BindingFinder(const ClassTable& table, const TagGraph& graph, const std::vector<bool>& is_tainted,
                const std::vector<uint32_t>& roots)
      : table_(table), graph_(graph), components_(graph.graph(), is_tainted, roots) {
    list_edges();
  }

  void run(std::span<const TagMeaning> meanings, uint32_t unit_count,
           std::span<TaintedType> types) {
    std::vector<uint32_t> profiles = find_profiles(meanings, unit_count);
    // Sort the types by profile (a counting sort).
    std::vector<uint32_t> begins(profiles_.size() + 2);
    for (const TaintedType& type : types) ++begins[profiles[type.unit] + 1];
    for (size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
    std::vector<uint32_t> order(types.size()), next(begins.begin(), begins.end() - 1);
    for (uint32_t i = 0; i < types.size(); ++i) order[next[profiles[types[i].unit]]++] = i;
    for (uint32_t profile = 0; profile + 1 < begins.size(); ++profile) {
      if (begins[profile] == begins[profile + 1]) continue;
      bind(profile);
      for (uint32_t i = begins[profile]; i < begins[profile + 1]; ++i) {
        TaintedType& type = types[order[i]];
        uint32_t component = components_.of(node_of(table_, graph_, type));
        type.binding = component != none ? bindings_[component] : 0;
        type.needs_own_node = type.binding != 0 && has_several_[type.binding];
      }
    }
  }

 private:
  void list_edges();
  void mark_reaching(std::span<const uint32_t> meanings);
  std::vector<uint32_t> find_profiles(std::span<const TagMeaning> meanings, uint32_t unit_count);
  void bind(uint32_t profile);

  const ClassTable& table_;
  const TagGraph& graph_;
  Components components_;
  Graph edges_;                           ///< between different components
  Graph parents_;                         ///< these edges reversed
  Interner profiles_;                     ///< pairs of an anchor and what it means
  Interner contents_;                     ///< of bindings
  std::vector<bool> has_several_{false};  ///< by binding: whether a tag has several definitions
  /// By component, for the current profile: its binding; 0 if all its tags are only declared.
  std::vector<uint32_t> bindings_;
  std::vector<uint32_t> bound_;   ///< the components with a binding
  std::vector<uint64_t> marked_;  ///< a bit by component: it can reach a tag of the profile
};

void BindingFinder::list_edges() {
  std::vector<uint32_t> listed_for(components_.count(), none);  // by component: the last parent
  for (uint32_t component = 0; component < components_.count(); ++component) {
    listed_for[component] = component;
    for (uint32_t node : components_.members(component))
      for (uint32_t child : graph_.graph().edges(node)) {
        uint32_t other = components_.of(child);
        if (other == none || listed_for[other] == component) continue;
        listed_for[other] = component;
        edges_.targets.push_back(other);
      }
    edges_.end_node();
  }
  parents_ = edges_.reversed();
  bindings_.resize(components_.count());
  marked_.resize(components_.count() / 64 + 1);
}

/// Marks the components that can reach a tag of a profile.
void BindingFinder::mark_reaching(std::span<const uint32_t> meanings) {
  std::vector<uint32_t> work;
  auto mark = [&](uint32_t component) {
    uint64_t bit = uint64_t{1} << component % 64;
    if ((marked_[component / 64] & bit) != 0) return;
    marked_[component / 64] |= bit;
    work.push_back(component);
  };
  for (size_t i = 0; i < meanings.size(); i += 2) mark(components_.of(meanings[i]));
  while (!work.empty()) {
    uint32_t component = work.back();
    work.pop_back();
    for (uint32_t parent : parents_.edges(component)) mark(parent);
  }
}

/// By unit: the number of its profile, 0 if all ambiguous tags are only declared.
std::vector<uint32_t> BindingFinder::find_profiles(std::span<const TagMeaning> meanings,
                                                   uint32_t unit_count) {
  std::vector<uint32_t> profiles(unit_count), profile;
  for (size_t i = 0; i < meanings.size();) {
    uint32_t unit = meanings[i].unit;
    profile.clear();
    for (; i < meanings.size() && meanings[i].unit == unit; ++i) {
      if (components_.of(meanings[i].anchor) == none) continue;
      profile.push_back(meanings[i].anchor);
      profile.push_back(meanings[i].value);
    }
    if (!profile.empty()) profiles[unit] = profiles_.intern(profile);
  }
  return profiles;
}

/// Finds the bindings of all components in the units with this profile. Components come after those
/// that they refer to, so one pass over the marked ones in order is enough.
void BindingFinder::bind(uint32_t profile) {
  for (uint32_t component : bound_) bindings_[component] = 0;
  bound_.clear();
  if (profile == 0) return;
  std::span<const uint32_t> meanings = profiles_.at(profile);
  std::vector<std::tuple<uint32_t, uint32_t, uint32_t>> own;  // component, anchor, meaning
  for (size_t i = 0; i < meanings.size(); i += 2)
    own.emplace_back(components_.of(meanings[i]), meanings[i], meanings[i + 1]);
  std::ranges::sort(own);
  mark_reaching(meanings);
  auto next = own.begin();
  std::vector<uint32_t> content;
  auto bind_component = [&](uint32_t component) {
    content.clear();
    bool has_several = false;
    for (; next != own.end() && std::get<0>(*next) == component; ++next) {
      content.push_back(std::get<1>(*next) | several_bit);  // tells it from a component
      content.push_back(std::get<2>(*next));
      has_several |= (std::get<2>(*next) & several_bit) != 0;
    }
    for (uint32_t child : edges_.edges(component)) {
      if (bindings_[child] == 0) continue;
      content.push_back(child);
      content.push_back(bindings_[child]);
      has_several |= has_several_[bindings_[child]];
    }
    bindings_[component] = contents_.intern(content);
    bound_.push_back(component);
    if (bindings_[component] == has_several_.size()) has_several_.push_back(has_several);
  };
  for (uint32_t word = 0; word < marked_.size(); ++word)
    for (; marked_[word] != 0; marked_[word] &= marked_[word] - 1)
      bind_component(64 * word + static_cast<uint32_t>(std::countr_zero(marked_[word])));
}

/// Adds the units that depend on units in `needs_own_node`. A declaration may resolve to the
/// definitions in units where it has the same binding (R2). If one of these units needs nodes of
/// its own, its definition may be another type, and the declaration may stay one. Then its own unit
/// needs nodes of its own as well.
void spread_own_nodes(const ClassTable& table, const Definitions& definitions,
                      std::span<const TaintedType> types, std::vector<bool>& needs_own_node) {
  Interner tags;  // pairs of an anchor and a binding
  using Pair = std::pair<uint32_t, uint32_t>;
  std::vector<Pair> defined;   // unit and tag
  std::vector<Pair> declared;  // tag and unit
  for (const TaintedType& type : types) {
    uint32_t anchor = table.anchor_of(type.type_class);
    if (anchor == 0 || definitions.is_ambiguous(anchor)) continue;
    uint32_t tag = tags.intern(std::array{anchor, type.binding});
    if (table.is_definition(type.type_class))
      defined.emplace_back(type.unit, tag);
    else
      declared.emplace_back(tag, type.unit);
  }
  std::ranges::sort(defined);
  std::ranges::sort(declared);
  std::vector<uint32_t> work;
  for (uint32_t unit = 0; unit < needs_own_node.size(); ++unit)
    if (needs_own_node[unit]) work.push_back(unit);
  std::vector<bool> is_done(tags.size() + 1);
  while (!work.empty()) {
    auto [first, last] = std::ranges::equal_range(defined, work.back(), {}, &Pair::first);
    work.pop_back();
    for (auto [unit, tag] : std::ranges::subrange(first, last)) {
      if (is_done[tag]) continue;
      is_done[tag] = true;
      for (auto [same, other] : std::ranges::equal_range(declared, tag, {}, &Pair::first)) {
        if (needs_own_node[other]) continue;
        needs_own_node[other] = true;
        work.push_back(other);
      }
    }
  }
}

/// The nodes whose bindings are needed: those of types that may share nodes, and of declarations
/// that may resolve by binding.
std::vector<uint32_t> list_roots(const ClassTable& table, const TagGraph& graph,
                                 const Definitions& definitions, std::span<const TaintedType> types,
                                 const std::vector<bool>& needs_own_node) {
  std::vector<uint32_t> roots;
  for (const TaintedType& type : types)
    if (!needs_own_node[type.unit] || may_resolve_by_binding(table, definitions, type))
      roots.push_back(node_of(table, graph, type));
  return roots;
}

}  // namespace

bool may_resolve_by_binding(const ClassTable& table, const Definitions& definitions,
                            const TaintedType& type) {
  uint32_t anchor = table.anchor_of(type.type_class);
  return type.input != 0 && table.is_forward(type.type_class) && definitions.is_defined(anchor) &&
         !definitions.is_ambiguous(anchor);
}

void find_bindings(const ClassTable& table, const TagGraph& graph,
                   const std::vector<bool>& is_tainted, const Definitions& definitions,
                   std::span<TaintedType> types, std::vector<bool> needs_own_node) {
  std::vector<TagMeaning> meanings = find_unit_meanings(table, definitions, types, needs_own_node);
  auto units = static_cast<uint32_t>(needs_own_node.size());
  std::vector<uint32_t> roots = list_roots(table, graph, definitions, types, needs_own_node);
  BindingFinder(table, graph, is_tainted, roots).run(meanings, units, types);
  if (!std::ranges::all_of(needs_own_node, std::identity()))
    spread_own_nodes(table, definitions, types, needs_own_node);
  for (TaintedType& type : types)
    if (needs_own_node[type.unit]) type.needs_own_node = true;
}

}  // namespace bpflink
