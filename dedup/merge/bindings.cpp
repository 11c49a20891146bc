// Finds the bindings that rule R2 compares: what the ambiguous tags that a tag reaches mean in its
// unit.
//
// In a unit, an ambiguous tag means the class of the unit's definition. If the unit does not define
// the tag, it means "declared only". If the unit has several definitions, it means that set, which
// belongs to this unit alone. A unit's *profile* is the list of its meanings other than "declared
// only". The *binding* of a type is the part of its unit's profile that the type can reach.
//
//   a.c: struct task { int id; };  struct ops { struct task *t; };
//   b.c: struct task { int id; };  struct ops;     binding {task: class 7}: the ops of a.c (R2)
//   c.c: struct task { long id; }; struct ops;     binding {task: class 9}: defined in no unit
//
// A tag reaches what any of its definitions reaches, so even `struct ops;` alone has a binding.
//
// Units with one profile have the same bindings. Most programs have few profiles. But each module
// of a kernel may have its own, with a few tags that few types reach. So for each profile, the
// graph of tags and classes (whose circles are merged into strongly connected components) is
// searched backwards from the profile's tags, and nothing else is visited.
//
// The binding of a component is the set of its own tags' meanings and of the bindings of the
// components that it refers to. A set of one is that one. Bindings are interned as numbers. A
// profile takes time linear in what reaches its tags. The sum over all profiles has a limit.
#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

#include "dedup/format/check_types.hpp"
#include "dedup/merge/interner.hpp"
#include "dedup/merge/tainted_graph.hpp"
#include "dedup/messages.hpp"

namespace bpflink {

namespace {

constexpr uint32_t no_component = UINT32_MAX;

/// The strongly connected components of the nodes that `roots` reach and that reach an ambiguous
/// tag. A component has a higher number than those that it refers to. (Tarjan's algorithm with an
/// explicit stack.)
class Components {
 public:
  Components(const Graph& graph, const std::vector<bool>& reaches_ambiguous,
             const std::vector<uint32_t>& roots)
      : graph_(graph),
        reaches_ambiguous_(reaches_ambiguous),
        of_(graph.size(), no_component),
        order_(graph.size(), no_component),
        low_(graph.size()) {
    for (uint32_t node : roots)
      if (reaches_ambiguous[node] && order_[node] == no_component) visit(node);
  }

  /// The component of a node, or `no_component` where no root reaches it or it reaches no ambiguous
  /// tag.
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
        if (!reaches_ambiguous_[child]) continue;
        if (order_[child] == no_component) {
          enter(child);
          frames_.push_back({child});
        } else if (of_[child] == no_component) {
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
    for (uint32_t member = no_component; member != node;) {
      member = open_.back();
      open_.pop_back();
      of_[member] = count();
      members_.targets.push_back(member);
    }
    members_.end_node();
  }

  const Graph& graph_;
  const std::vector<bool>& reaches_ambiguous_;
  Graph members_;                ///< by component
  std::vector<uint32_t> of_;     ///< by node, or `no_component`
  std::vector<uint32_t> order_;  ///< by node: when it was entered
  std::vector<uint32_t> low_;    ///< the first node entered that this one leads back to
  std::vector<uint32_t> open_;   ///< nodes of components that are not closed
  std::vector<Frame> frames_;
  uint32_t entered_ = 0;
};

/// By index of a type: its connected component, numbered from 0 on. And the count of components.
/// (Union-find with path halving.)
std::pair<std::vector<uint32_t>, uint32_t> find_components(const Input& input,
                                                           const std::vector<bool>& reaches_tag) {
  const BtfView& types = input.types();
  std::vector<uint32_t> parents(input.class_of_type.size());
  std::iota(parents.begin(), parents.end(), 0);
  auto find = [&](uint32_t index) {
    while (parents[index] != index) index = parents[index] = parents[parents[index]];
    return index;
  };
  for (uint32_t index = 0; index < parents.size(); ++index) {
    std::span<const uint32_t> words = types.words_of(types.first_id() + index);
    if (input.class_of_type[index] == omitted_class || kind_of(words.data()) == BtfKind::Datasec)
      continue;
    uint32_t root = find(index);
    for_each_reference(words, [&](uint32_t child) {
      if (child < types.first_id() || !reaches_tag[input.class_of_type[child - types.first_id()]])
        return;
      uint32_t other = find(child - types.first_id());
      // The lower index becomes the root.
      if (other < root) std::swap(other, root);
      parents[other] = root;
    });
  }
  uint32_t count = 0;  // a parent has a lower index, so its number is known
  for (uint32_t index = 0; index < parents.size(); ++index)
    parents[index] = parents[index] == index ? count++ : parents[parents[index]];
  return {std::move(parents), count};
}

/// By tainted type: its unit, numbered from 1 on, 0 for the base; and one past the last. A unit is
/// what one run of the compiler saw. `is_tainted` and `reaches_tag` are by class.
///
/// An input is a unit, unless it was merged from several, like the blob of a whole kernel. Such an
/// input has some untainted type twice, which no compiler writes and no deduplicated blob has.
/// (Objects and what refers to them do not count: they stay apart under any names.) It is split
/// into the connected components of its graph: a unit has all types that it refers to, so no
/// reference leads from one unit to another.
///
/// Two kinds of references do not connect units. A type that reaches no tag means the same
/// everywhere, and the program that merged the units may have kept one for all of them, as pahole
/// does with the type of array indices. And a DATASEC lists variables of all units.
std::pair<std::vector<uint32_t>, uint32_t> find_units(const Deduplication& d,
                                                      const std::vector<bool>& is_tainted,
                                                      const std::vector<bool>& reaches_tag,
                                                      std::span<const TaintedType> types) {
  // The lists are shared by all inputs: clearing them for each would take the number of inputs
  // times that of classes.
  std::vector<uint32_t> input_of_class(d.table.class_count());
  std::vector<uint32_t> input_of_anchor(d.table.anchor_count());
  auto has_repeated_type = [&](uint32_t input) {
    for (uint32_t c : d.inputs[input - 1].class_of_type) {
      if (c == omitted_class || is_tainted[c]) continue;
      // Declarations of a tag are equal, even if the sizes of enums differ.
      uint32_t& seen_in =
          d.table.is_forward(c) ? input_of_anchor[d.table.anchor_of(c)] : input_of_class[c];
      if (std::exchange(seen_in, input) == input) return true;
    }
    return false;
  };
  std::vector<uint32_t> units;
  uint32_t end = 1;
  auto type = types.begin();
  for (; type != types.end() && type->input == 0; ++type) units.push_back(0);
  for (uint32_t input = 1; input <= d.inputs.size(); ++input) {
    std::vector<uint32_t> components;
    uint32_t count = 1;
    bool is_merged = has_repeated_type(input);
    if (is_merged) std::tie(components, count) = find_components(d.inputs[input - 1], reaches_tag);
    for (; type != types.end() && type->input == input; ++type)
      units.push_back(end + (is_merged ? components[type->index] : 0));
    end += count;
  }
  return {std::move(units), end};
}

/// What an ambiguous tag means in a unit, other than "declared only".
struct TagMeaning {
  uint32_t unit;
  uint32_t anchor;
  uint32_t value;  ///< the class of the definition, or several_bit and the unit

  auto operator<=>(const TagMeaning&) const = default;
};
constexpr uint32_t several_bit = 0x80000000;
constexpr uint32_t tag_bit = 0x80000000;  ///< in a binding: tells a tag from another binding

/// The units of all types, and the meanings in each of them, in order of units.
class UnitMeanings {
 public:
  UnitMeanings(const Deduplication& d, const TagGraph& graph,
               const std::vector<bool>& reaches_ambiguous, const Definitions& definitions,
               std::span<const TaintedType> types) {
    std::vector<uint32_t> anchors(d.table.anchor_count() - 1);
    std::iota(anchors.begin(), anchors.end(), 1);
    std::tie(units_, unit_count_) = find_units(d, graph.by_class(reaches_ambiguous),
                                               graph.by_class(graph.find_reaching(anchors)), types);
    for (size_t i = 0; i < types.size(); ++i) {
      uint32_t anchor = d.table.anchor_of(types[i].type_class);
      if (d.table.is_definition(types[i].type_class) && definitions.is_ambiguous(anchor))
        meanings_.push_back({units_[i], anchor, types[i].type_class});
    }
    merge();
  }

  uint32_t unit_count() const { return unit_count_; }
  /// By tainted type.
  std::span<const uint32_t> units() const { return units_; }
  std::span<const TagMeaning> all() const { return meanings_; }

 private:
  /// Makes one meaning of each unit and tag.
  void merge() {
    std::ranges::sort(meanings_);
    meanings_.erase(std::ranges::unique(meanings_).begin(), meanings_.end());
    auto same_tag = [](const TagMeaning& a, const TagMeaning& b) {
      return a.unit == b.unit && a.anchor == b.anchor;
    };
    for (size_t i = 1; i < meanings_.size(); ++i) {
      if (!same_tag(meanings_[i - 1], meanings_[i])) continue;
      meanings_[i - 1].value = meanings_[i].value = several_bit | meanings_[i].unit;
    }
    meanings_.erase(std::ranges::unique(meanings_, same_tag).begin(), meanings_.end());
  }

  uint32_t unit_count_;
  std::vector<uint32_t> units_;
  std::vector<TagMeaning> meanings_;
};

class BindingFinder {
 public:
  /// `anchors` are those of the tags whose bindings are needed.
  BindingFinder(const TagGraph& graph, const std::vector<bool>& reaches_ambiguous,
                const std::vector<uint32_t>& anchors, const UnitMeanings& meanings)
      : graph_(graph),
        meanings_(meanings),
        components_(graph.graph(), reaches_ambiguous, anchors),
        is_needed_(graph.anchor_count()) {
    for (uint32_t anchor : anchors) is_needed_[anchor] = true;
    list_edges();
  }

  std::expected<std::vector<uint32_t>, Error> run(const Deduplication& d,
                                                  std::span<const TaintedType> types) {
    std::vector<uint32_t> profiles = find_profiles();
    // Sort the types by profile.
    std::vector<std::pair<uint32_t, uint32_t>> order;  // the profile and the number of a type
    for (uint32_t i = 0; i < types.size(); ++i)
      if (is_needed_[d.table.anchor_of(types[i].type_class)])
        order.emplace_back(profiles[meanings_.units()[i]], i);
    std::ranges::sort(order);
    std::vector<uint32_t> result(types.size());
    uint32_t current = 0;  // it has no bindings
    for (auto [profile, i] : order) {
      bool is_other = profile != current;
      current = profile;
      if (is_other && !bind(profile)) return too_many(d, types[i]);
      // A tag that reaches no ambiguous one, only what the base declares, has no component.
      uint32_t component = components_.of(d.table.anchor_of(types[i].type_class));
      if (component != no_component) result[i] = bindings_[component];
    }
    return result;
  }

 private:
  static std::unexpected<Error> too_many(const Deduplication& d, const TaintedType& type) {
    const BtfView& btf = type.input == 0 ? *d.options.base : d.inputs[type.input - 1].types();
    uint32_t id = type.input == 0 ? type.index : btf.first_id() + type.index;
    return fail("{}: {}: the types that it refers to have too many definitions",
                type.input == 0 ? "base" : d.inputs[type.input - 1].name, describe_type(btf, id));
  }

  void list_edges() {
    // By component: the last one that lists it, which has no edge to itself.
    std::vector<uint32_t> listed_for(components_.count(), no_component);
    for (uint32_t component = 0; component < components_.count(); ++component) {
      listed_for[component] = component;
      for (uint32_t node : components_.members(component))
        for (uint32_t child : graph_.graph().edges(node)) {
          uint32_t other = components_.of(child);
          if (other == no_component || listed_for[other] == component) continue;
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
  void mark_reaching(std::span<const uint32_t> meanings) {
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
  std::vector<uint32_t> find_profiles() {
    std::span<const TagMeaning> meanings = meanings_.all();
    std::vector<uint32_t> profiles(meanings_.unit_count()), profile;
    for (size_t i = 0; i < meanings.size();) {
      uint32_t unit = meanings[i].unit;
      profile.clear();
      for (; i < meanings.size() && meanings[i].unit == unit; ++i) {
        if (components_.of(meanings[i].anchor) == no_component) continue;
        profile.push_back(meanings[i].anchor);
        profile.push_back(meanings[i].value);
      }
      if (!profile.empty()) profiles[unit] = profiles_.intern(profile);
    }
    return profiles;
  }

  /// Finds the bindings of all components in the units with this profile. Components come after
  /// those that they refer to, so one pass over the marked ones in order is enough. False if that
  /// passes the limit for all profiles.
  bool bind(uint32_t profile) {
    constexpr uint64_t max_steps = 1 << 25;  // half a second, 400 MB
    for (uint32_t component : with_binding_) bindings_[component] = 0;
    with_binding_.clear();
    if (profile == 0) return true;
    std::span<const uint32_t> meanings = profiles_.at(profile);
    own_.clear();
    for (size_t i = 0; i < meanings.size(); i += 2)
      own_.emplace_back(components_.of(meanings[i]),
                        contents_.intern(std::array{meanings[i] | tag_bit, meanings[i + 1]}));
    // In reverse, so that each component takes its own from the end.
    std::ranges::sort(own_, std::greater());
    mark_reaching(meanings);
    for (uint32_t word = 0; word < marked_.size(); ++word)
      for (; marked_[word] != 0; marked_[word] &= marked_[word] - 1)
        bind_component(64 * word + static_cast<uint32_t>(std::countr_zero(marked_[word])));
    return steps_ <= max_steps;
  }

  void bind_component(uint32_t component) {
    content_.clear();
    for (; !own_.empty() && own_.back().first == component; own_.pop_back())
      content_.push_back(own_.back().second);
    for (uint32_t child : edges_.edges(component))
      if (bindings_[child] != 0) content_.push_back(bindings_[child]);
    std::ranges::sort(content_);
    content_.erase(std::ranges::unique(content_).begin(), content_.end());
    bindings_[component] = content_.size() == 1 ? content_.front() : contents_.intern(content_);
    with_binding_.push_back(component);
    steps_ += 1 + edges_.edges(component).size();
  }

  const TagGraph& graph_;
  const UnitMeanings& meanings_;
  Components components_;
  std::vector<bool> is_needed_;  ///< by anchor
  Graph edges_;                  ///< between different components
  Graph parents_;                ///< these edges reversed
  Interner profiles_;            ///< pairs of an anchor and what it means
  Interner contents_;  ///< of bindings: a pair of an anchor and what it means, or bindings
  /// By component, for the current profile: its binding; 0 if all ambiguous tags that it reaches
  /// are only declared.
  std::vector<uint32_t> bindings_;
  std::vector<uint32_t> with_binding_;  ///< the components with a binding
  std::vector<uint64_t> marked_;        ///< a bit by component: it can reach a tag of the profile
  std::vector<uint32_t> content_;       ///< of the component that is being bound
  std::vector<std::pair<uint32_t, uint32_t>> own_;  ///< component, binding of one of its tags
  uint64_t steps_ = 0;  ///< components and edges visited for all profiles
};

/// The anchors whose tags R2 may resolve: R1 has not just one definition for some declaration.
std::vector<uint32_t> list_resolvable(const ClassTable& table, const Definitions& definitions,
                                      std::span<const TaintedType> types) {
  std::vector<std::pair<uint32_t, uint32_t>> defined;  // anchor and input, by tainted definition
  for (const TaintedType& type : types)
    if (table.is_definition(type.type_class))
      defined.emplace_back(table.anchor_of(type.type_class), type.input);
  std::ranges::sort(defined);
  auto count = [&](uint32_t anchor, uint32_t input) {
    return std::ranges::equal_range(defined, std::pair(anchor, input)).size();
  };
  std::vector<uint32_t> anchors;
  for (const TaintedType& type : types) {
    uint32_t anchor = table.anchor_of(type.type_class);
    if (type.input != 0 && table.is_forward(type.type_class) && definitions.is_defined(anchor) &&
        !definitions.is_ambiguous(anchor) && count(anchor, 0) + count(anchor, type.input) != 1)
      anchors.push_back(anchor);
  }
  std::ranges::sort(anchors);
  anchors.erase(std::ranges::unique(anchors).begin(), anchors.end());
  return anchors;
}

}  // namespace

bool needs_bindings(const Deduplication& d, const Definitions& definitions,
                    std::span<const TaintedType> types) {
  return !list_resolvable(d.table, definitions, types).empty();
}

std::expected<std::vector<uint32_t>, Error> find_bindings(
    const Deduplication& d, const TagGraph& graph, const std::vector<bool>& reaches_ambiguous,
    const Definitions& definitions, std::span<const TaintedType> types) {
  std::vector<uint32_t> anchors = list_resolvable(d.table, definitions, types);
  if (anchors.empty()) return {};
  UnitMeanings meanings(d, graph, reaches_ambiguous, definitions, types);
  return BindingFinder(graph, reaches_ambiguous, anchors, meanings).run(d, types);
}

}  // namespace bpflink
