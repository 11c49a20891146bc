// Pass: find the meanings of tainted types.
//
// A tainted type reaches a tag with several definitions. Its class compares tags by name, so it
// does not determine the type's meaning. Equality among tainted types is decided in a graph of
// these types alone. There are usually few: 81 of a kernel's 3.4 million.
#include <algorithm>

#include "dedup/ambiguity/bound_types.hpp"
#include "dedup/ambiguity/taint.hpp"
#include "dedup/ambiguity/units.hpp"
#include "dedup/deduplication.hpp"

namespace bpflink {

namespace {

/// By class, of what is by node of the graph.
std::vector<bool> by_class(const Deduplication& d, const TagGraph& graph,
                           const std::vector<bool>& by_node) {
  std::vector<bool> result(d.table.class_count());
  for (uint32_t c = 1; c < result.size(); ++c) result[c] = by_node[graph.node_of_class(c)];
  return result;
}

class MeaningFinder {
 public:
  explicit MeaningFinder(Deduplication& d) : d_(d), definitions_(d.table) {}

  void run() {
    std::vector<uint32_t> ambiguous = definitions_.find_ambiguous();
    std::vector<uint32_t> sources = ambiguous;
    add_declarations_of_base(sources);
    if (sources.empty()) return list_types();
    TagGraph graph(d_.table, definitions_);
    is_tainted_ = graph.find_reaching(ambiguous);
    find_taint(graph, sources);
    list_types();
    bool has_units = bind_to_units(graph);
    number_elements();
    BoundTypes types = bind_types(d_, definitions_, types_, has_units);
    settle(types, resolve_declarations(d_.table, types));
  }

 private:
  void add_declarations_of_base(std::vector<uint32_t>& sources) const;
  void find_taint(const TagGraph& graph, const std::vector<uint32_t>& sources);
  void list_types();
  bool bind_to_units(const TagGraph& graph);
  bool names_may_tell() const;
  bool may_need_units() const;
  void number_elements();
  void settle(const BoundTypes& types, const std::vector<uint32_t>& colors);
  uint32_t& element_of(const TaintedType& type) {
    return type.input == 0 ? d_.base_elements[type.index]
                           : d_.inputs[type.input - 1].elements[type.index];
  }

  Deduplication& d_;
  Definitions definitions_;
  std::vector<bool> is_tainted_;  ///< by node of the graph: reaches an ambiguous tag
  std::vector<TaintedType> types_;
};

/// The base does not change: its declaration of a tag stays one and differs from a definition, so
/// that what reaches the tag needs to be looked at as what reaches an ambiguous one.
void MeaningFinder::add_declarations_of_base(std::vector<uint32_t>& sources) const {
  for (uint32_t element : d_.base_elements) {
    uint32_t anchor = d_.table.anchor_of(element);
    if (anchor != 0 && !d_.table.is_definition(element) && definitions_.is_defined(anchor))
      sources.push_back(anchor);
  }
}

void MeaningFinder::find_taint(const TagGraph& graph, const std::vector<uint32_t>& sources) {
  std::vector<bool> reaching = graph.find_reaching(sources);
  auto first_class = reaching.begin() + graph.node_of_class(0);
  d_.meanings.taints_anchor.assign(reaching.begin(), first_class);
  d_.meanings.taints_class.assign(first_class, reaching.end());
}

/// Lists the tainted types, and for write_types() these and the first of each other class: none
/// besides can be the first of what it means. Of millions of types these are few, and all that
/// follows looks at no others.
void MeaningFinder::list_types() {
  enum class State : uint8_t { unseen, seen, tainted };
  std::vector<State> states(d_.table.class_count());
  for (uint32_t c = 0; c < d_.meanings.taints_class.size(); ++c)
    if (d_.meanings.taints_class[c] != 0) states[c] = State::tainted;
  auto list_tainted = [&](uint32_t input, uint32_t index, uint32_t type_class) {
    if (states[type_class] == State::tainted) types_.push_back({input, index, type_class});
  };
  for (uint32_t id = 1; id < d_.base_elements.size(); ++id)
    list_tainted(0, id, d_.base_elements[id]);
  for (uint32_t i = 0; i < d_.inputs.size(); ++i) {
    std::span<const uint32_t> elements = d_.inputs[i].elements;
    for (uint32_t index = 0; index < elements.size(); ++index) {
      uint32_t c = elements[index];
      if (c == omitted_class || states[c] == State::seen) continue;
      d_.firsts.push_back({i, index});
      list_tainted(i + 1, index, c);
      if (states[c] == State::unseen) states[c] = State::seen;
    }
  }
}

/// Whether types of one class may share nodes, and it is worth to look for that. With a base, ids
/// that lead there tell more than names.
bool MeaningFinder::names_may_tell() const {
  return d_.options.base == nullptr && types_.size() > d_.table.class_count();
}

/// Whether some declaration may be resolved by what its unit means by other tags.
bool MeaningFinder::may_need_units() const {
  return std::ranges::any_of(types_, [&](const TaintedType& type) {
    return is_declaration_to_bind(d_.table, definitions_, type);
  });
}

/// Gives types their units and bindings, and says which are on their own. Returns whether it has.
bool MeaningFinder::bind_to_units(const TagGraph& graph) {
  bool names_tell = names_may_tell();
  bool has_units = names_tell || may_need_units();
  if (has_units) {
    std::vector<uint32_t> anchors;
    for (uint32_t anchor = 1; anchor < d_.table.anchor_count(); ++anchor) anchors.push_back(anchor);
    Units units(d_, by_class(d_, graph, is_tainted_),
                by_class(d_, graph, graph.find_reaching(anchors)));
    // What one input that was cut defines may resolve declarations in all its units (R1). Beside
    // other inputs these then mean more than other units of the same binding.
    std::vector<bool> is_own(units.count(), !names_tell);
    for (TaintedType& type : types_) {
      if (type.input == 0) continue;
      type.unit = units.of(type.input - 1, type.index);
      if (d_.inputs.size() > 1 && units.is_cut(type.input - 1)) is_own[type.unit] = true;
    }
    find_bindings(d_.table, graph, is_tainted_, definitions_, types_, std::move(is_own));
  }
  if (!names_tell)
    for (TaintedType& type : types_) type.is_own = true;
  return has_units;
}

void MeaningFinder::number_elements() {
  for (uint32_t i = 0; i < types_.size(); ++i) element_of(types_[i]) = d_.table.class_count() + i;
}

/// Makes meanings of the colors of nodes.
void MeaningFinder::settle(const BoundTypes& types, const std::vector<uint32_t>& colors) {
  constexpr uint32_t none = UINT32_MAX;
  Meanings& meanings = d_.meanings;
  std::vector<uint32_t> numbers(colors.size(), none);  // by color
  std::vector<uint32_t> nodes;                         // by meaning: one that has it
  auto is_better = [&](uint32_t node, uint32_t than) {
    // A definition, rather than what stands for one; of declarations, the least.
    uint32_t c = types.classes[node], other = types.classes[than];
    if (d_.table.is_definition(c) != d_.table.is_definition(other))
      return d_.table.is_definition(c);
    return std::ranges::lexicographical_compare(d_.table.words(c), d_.table.words(other));
  };
  for (uint32_t node = 0; node < colors.size(); ++node) {
    uint32_t& number = numbers[colors[node]];
    if (number == none) {
      number = static_cast<uint32_t>(nodes.size());
      nodes.push_back(node);
    } else if (types.classes[node] != types.classes[nodes[number]] &&
               is_better(node, nodes[number])) {
      nodes[number] = node;
    }
  }
  for (uint32_t node : nodes) {
    meanings.classes.push_back(types.classes[node]);
    for (uint32_t child : types.references.edges(node))
      meanings.references.targets.push_back(numbers[colors[child]]);
    meanings.references.end_node();
  }
  for (uint32_t i = 0; i < types_.size(); ++i)
    element_of(types_[i]) = d_.table.class_count() + numbers[colors[types.nodes[i]]];
}

}  // namespace

void find_meanings(Deduplication& d) {
  MeaningFinder(d).run();
}

}  // namespace bpflink
