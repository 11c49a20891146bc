// In a unit, each ambiguous tag has a meaning: the class of the unit's definition; "declared only"
// or "absent"; or, if the unit has several definitions, that set, which belongs to this unit alone.
// A unit's *profile* is the list of its meanings other than "declared only". The *binding* of a
// type is the part of its unit's profile that the type can reach.
//
// Units with one profile have the same bindings. Most programs have few profiles. But each module
// of a kernel may have its own, of a few tags with few references. So for each profile, the graph
// of tags and classes (circles are merged to components) is searched from the profile's tags
// backwards to what reaches them, and no further. The binding of a component is its own tags' part
// of the profile, plus the bindings of the components that it refers to. Bindings are interned as
// numbers. The time is linear in what reaches the tags, whatever its depth.
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

/// The strongly connected components of the tainted part of a graph, as far as `roots` reach: a
/// component has a higher number than those that it refers to. (Tarjan's algorithm, with a stack of
/// its own.)
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

  /// Closes the component that a node is the first of, if it is.
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
  std::vector<uint32_t> order_;  ///< of entering
  std::vector<uint32_t> low_;    ///< the first node entered that this one leads back to
  std::vector<uint32_t> open_;   ///< nodes of components that are not closed
  std::vector<Frame> frames_;
  uint32_t entered_ = 0;
};

/// A meaning of an ambiguous tag that is not "declared".
struct Meaning {
  uint32_t unit;
  uint32_t anchor;
  uint32_t value;  ///< a class, or several_bit and the unit

  auto operator<=>(const Meaning&) const = default;
};
constexpr uint32_t several_bit = 0x80000000;

/// By unit the meanings that are not "declared", ordered. Adds units to `is_own` where a tag has a
/// declaration and a definition that may differ: their bindings do not tell.
std::vector<Meaning> find_unit_meanings(const ClassTable& table, const Definitions& definitions,
                                        std::span<const TaintedType> types,
                                        std::vector<bool>& is_own) {
  std::vector<Meaning> meanings, declared;
  for (const TaintedType& type : types) {
    uint32_t c = type.type_class;
    uint32_t anchor = table.anchor_of(c);
    if (anchor == 0 || !definitions.is_ambiguous(anchor)) continue;
    (table.is_definition(c) ? meanings : declared).push_back({type.unit, anchor, c});
  }
  std::ranges::sort(meanings);
  meanings.erase(std::ranges::unique(meanings).begin(), meanings.end());
  auto same_tag = [](const Meaning& a, const Meaning& b) {
    return a.unit == b.unit && a.anchor == b.anchor;
  };
  for (size_t i = 1; i < meanings.size(); ++i) {
    if (!same_tag(meanings[i - 1], meanings[i])) continue;
    meanings[i - 1].value = meanings[i].value = several_bit | meanings[i].unit;
  }
  meanings.erase(std::ranges::unique(meanings, same_tag).begin(), meanings.end());
  // A declaration beside the definition may be another meaning: where the unit is cut from an input
  // that has other definitions, it is not resolved to this one.
  for (const Meaning& declaration : declared) {
    auto found =
        std::ranges::lower_bound(meanings, Meaning{declaration.unit, declaration.anchor, 0});
    if (found != meanings.end() && same_tag(*found, declaration)) is_own[declaration.unit] = true;
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

  void run(std::span<const Meaning> meanings, uint32_t unit_count, std::span<TaintedType> types) {
    std::vector<uint32_t> profiles = find_profiles(meanings, unit_count);
    // The types by profile, each profile's one after the other.
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
        type.is_own = type.binding != 0 && has_several_[type.binding];
      }
    }
  }

 private:
  void list_edges();
  void mark_reaching(std::span<const uint32_t> meanings);
  std::vector<uint32_t> find_profiles(std::span<const Meaning> meanings, uint32_t unit_count);
  void bind(uint32_t profile);

  const ClassTable& table_;
  const TagGraph& graph_;
  Components components_;
  Graph edges_;                           ///< of components, without those to themselves
  Graph parents_;                         ///< the same the other way round
  Interner profiles_;                     ///< pairs of an anchor and a meaning's value
  Interner parts_;                        ///< what bindings are made of
  std::vector<bool> has_several_{false};  ///< by binding: whether a tag has several definitions
  std::vector<uint32_t>
      bindings_;                  ///< by component, of the profile at hand; 0 where all is declared
  std::vector<uint32_t> bound_;   ///< the components that have one
  std::vector<uint64_t> marked_;  ///< a bit for each component: it can reach a tag of the profile
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

/// By unit the number of its profile, 0 where all ambiguous tags are only declared.
std::vector<uint32_t> BindingFinder::find_profiles(std::span<const Meaning> meanings,
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

/// Finds the bindings of all components in units of a profile.
void BindingFinder::bind(uint32_t profile) {
  for (uint32_t component : bound_) bindings_[component] = 0;
  bound_.clear();
  if (profile == 0) return;
  std::span<const uint32_t> meanings = profiles_.at(profile);
  std::vector<std::tuple<uint32_t, uint32_t, uint32_t>> own;  // by component
  for (size_t i = 0; i < meanings.size(); i += 2)
    own.emplace_back(components_.of(meanings[i]), meanings[i], meanings[i + 1]);
  std::ranges::sort(own);
  mark_reaching(meanings);
  auto next = own.begin();
  std::vector<uint32_t> part;
  auto bind_component = [&](uint32_t component) {
    part.clear();
    bool has_several = false;
    for (; next != own.end() && std::get<0>(*next) == component; ++next) {
      part.push_back(std::get<1>(*next) | several_bit);  // no component has so high a number
      part.push_back(std::get<2>(*next));
      has_several |= (std::get<2>(*next) & several_bit) != 0;
    }
    for (uint32_t child : edges_.edges(component)) {
      if (bindings_[child] == 0) continue;
      part.push_back(child);
      part.push_back(bindings_[child]);
      has_several |= has_several_[bindings_[child]];
    }
    bindings_[component] = parts_.intern(part);
    bound_.push_back(component);
    if (bindings_[component] == has_several_.size()) has_several_.push_back(has_several);
  };
  for (uint32_t word = 0; word < marked_.size(); ++word)
    for (; marked_[word] != 0; marked_[word] &= marked_[word] - 1)
      bind_component(64 * word + static_cast<uint32_t>(std::countr_zero(marked_[word])));
}

/// Adds units that depend on what the types of these units mean. A declaration may be resolved to
/// what units of the same binding define (R2). Where one of these has types of its own, which may
/// mean something else, the declaration may stay one; and then its unit's types are its own, too.
void spread_own(const ClassTable& table, const Definitions& definitions,
                std::span<const TaintedType> types, std::vector<bool>& is_own) {
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
  for (uint32_t unit = 0; unit < is_own.size(); ++unit)
    if (is_own[unit]) work.push_back(unit);
  std::vector<bool> is_done(tags.size() + 1);
  while (!work.empty()) {
    auto [first, last] = std::ranges::equal_range(defined, work.back(), {}, &Pair::first);
    work.pop_back();
    for (auto [unit, tag] : std::ranges::subrange(first, last)) {
      if (is_done[tag]) continue;
      is_done[tag] = true;
      for (auto [same, other] : std::ranges::equal_range(declared, tag, {}, &Pair::first)) {
        if (is_own[other]) continue;
        is_own[other] = true;
        work.push_back(other);
      }
    }
  }
}

/// The nodes whose bindings are asked for: those of types that are not on their own, and tags of
/// which some declaration may be resolved by its unit's binding.
std::vector<uint32_t> list_roots(const ClassTable& table, const TagGraph& graph,
                                 const Definitions& definitions, std::span<const TaintedType> types,
                                 const std::vector<bool>& is_own) {
  std::vector<uint32_t> roots;
  for (const TaintedType& type : types)
    if (!is_own[type.unit] || is_declaration_to_bind(table, definitions, type))
      roots.push_back(node_of(table, graph, type));
  return roots;
}

}  // namespace

bool is_declaration_to_bind(const ClassTable& table, const Definitions& definitions,
                            const TaintedType& type) {
  uint32_t anchor = table.anchor_of(type.type_class);
  return type.input != 0 && anchor != 0 && !table.is_definition(type.type_class) &&
         definitions.is_defined(anchor) && !definitions.is_ambiguous(anchor);
}

void find_bindings(const ClassTable& table, const TagGraph& graph,
                   const std::vector<bool>& is_tainted, const Definitions& definitions,
                   std::span<TaintedType> types, std::vector<bool> is_own) {
  std::vector<Meaning> meanings = find_unit_meanings(table, definitions, types, is_own);
  auto units = static_cast<uint32_t>(is_own.size());
  std::vector<uint32_t> roots = list_roots(table, graph, definitions, types, is_own);
  BindingFinder(table, graph, is_tainted, roots).run(meanings, units, types);
  if (!std::ranges::all_of(is_own, std::identity())) spread_own(table, definitions, types, is_own);
  for (TaintedType& type : types)
    if (is_own[type.unit]) type.is_own = true;
}

}  // namespace bpflink
