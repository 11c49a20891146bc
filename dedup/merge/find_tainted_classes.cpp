// Pass: tell tainted types of one class apart.
//
// A tainted type reaches a tag with several definitions, or one that the base declares and someone
// defines. Its key compares tags by name, so types
// of one class may differ. Equality among tainted types is decided in a graph of them:
//
//   find ambiguous tags, and the classes that reach them   (tainted_graph.cpp)
//   split the inputs into units, find bindings for R2      (bindings.cpp)
//   make the graph                                         (tainted_graph.cpp)
//   refine it and resolve declarations                     (resolve.cpp, refine.cpp)
#include <algorithm>

#include "dedup/merge/tainted_graph.hpp"
#include "dedup/try.hpp"

namespace bpflink {

namespace {

class TaintedClassFinder {
 public:
  explicit TaintedClassFinder(Deduplication& d) : d_(d), definitions_(d.table) {}

  std::expected<void, Error> run() {
    std::vector<uint32_t> ambiguous = definitions_.find_ambiguous();
    std::vector<uint32_t> sources = ambiguous;
    add_declarations_of_base(sources);
    if (sources.empty()) {
      list_types();  // write_types() needs the first types of each class
      return {};
    }
    TagGraph graph(d_.table, definitions_);
    find_taint(graph, sources);
    list_types();
    if (!d_.is_base_whole() && needs_bindings(d_, definitions_, types_)) {
      // Begin again with all types of the base: what tags reach in it counts for R2.
      complete_base(d_);
      merge_circles(d_);
      d_.tainted_classes = {};
      d_.first_types.clear();
      return TaintedClassFinder(d_).run();
    }
    // What the base declares does not change, and means the same in all units.
    std::vector<bool> reaches_ambiguous = graph.find_reaching(ambiguous);
    auto bindings = TRY(find_bindings(d_, graph, reaches_ambiguous, definitions_, types_));
    number_types();
    TaintedGraph types = make_tainted_graph(d_, definitions_, types_, bindings);
    auto colors = TRY(resolve_declarations(d_.table, types));
    number_classes(types, colors);
    return {};
  }

 private:
  /// Adds the tags that the base declares and some input or the base defines. The base does not
  /// change, so its declaration stays one and differs from the definition. Types that reach such a
  /// tag are therefore told apart like those that reach an ambiguous one.
  void add_declarations_of_base(std::vector<uint32_t>& sources) const {
    for (uint32_t id : d_.base_types) {
      uint32_t type_class = d_.base_classes[id];
      uint32_t anchor = d_.table.anchor_of(type_class);
      if (d_.table.is_forward(type_class) && definitions_.is_defined(anchor))
        sources.push_back(anchor);
    }
  }

  void find_taint(const TagGraph& graph, const std::vector<uint32_t>& sources) {
    std::vector<bool> reaching = graph.find_reaching(sources);
    auto first_class = reaching.begin() + graph.node_of_class(0);
    d_.tainted_classes.is_anchor_tainted.assign(reaching.begin(), first_class);
    d_.tainted_classes.is_class_tainted.assign(first_class, reaching.end());
  }

  /// Lists the tainted types; and for write_types(), the types that may be the first of their
  /// class: the first of each untainted class, and all tainted ones. Of millions of types these are
  /// few, and later steps look at no others.
  void list_types() {
    enum class State : uint8_t { Unseen, Seen, Tainted };
    std::vector<State> states(d_.table.class_count());
    for (uint32_t c = 0; c < d_.tainted_classes.is_class_tainted.size(); ++c)
      if (d_.tainted_classes.is_class_tainted[c] != 0) states[c] = State::Tainted;
    auto list_tainted = [&](uint32_t input, uint32_t index, uint32_t type_class) {
      if (states[type_class] == State::Tainted) types_.push_back({input, index, type_class});
    };
    for (uint32_t id : d_.base_types) list_tainted(0, id, d_.base_classes[id]);
    for (uint32_t i = 0; i < d_.inputs.size(); ++i) {
      std::span<const uint32_t> classes = d_.inputs[i].class_of_type;
      for (uint32_t index = 0; index < classes.size(); ++index) {
        uint32_t c = classes[index];
        if (c == omitted_class || states[c] == State::Seen) continue;
        d_.first_types.push_back({i, index});
        list_tainted(i + 1, index, c);
        if (states[c] == State::Unseen) states[c] = State::Seen;
      }
    }
  }

  /// For now, gives each tainted type a class of its own, by which make_tainted_graph() finds
  /// nodes.
  void number_types() {
    for (uint32_t i = 0; i < types_.size(); ++i) class_of(types_[i]) = d_.table.class_count() + i;
  }

  /// Makes a tainted class of each color.
  void number_classes(const TaintedGraph& types, const std::vector<uint32_t>& colors) {
    constexpr uint32_t none = UINT32_MAX;
    TaintedClasses& tainted = d_.tainted_classes;
    std::vector<uint32_t> numbers(colors.size(), none);  // by color: its tainted class
    std::vector<uint32_t> nodes;                         // by tainted class: the node that shows it
    for (uint32_t node = 0; node < colors.size(); ++node) {
      uint32_t& number = numbers[colors[node]];
      if (number == none) {
        number = static_cast<uint32_t>(nodes.size());
        nodes.push_back(node);
      } else if (d_.table.is_better(types.classes[node], types.classes[nodes[number]])) {
        nodes[number] = node;
      }
    }
    for (uint32_t node : nodes) {
      tainted.classes.push_back(types.classes[node]);
      for (uint32_t child : types.references.edges(node))
        tainted.references.targets.push_back(numbers[colors[child]]);
      tainted.references.end_node();
    }
    for (uint32_t i = 0; i < types_.size(); ++i)
      class_of(types_[i]) = d_.table.class_count() + numbers[colors[types.nodes[i]]];
  }

  uint32_t& class_of(const TaintedType& type) {
    return type.input == 0 ? d_.base_classes[type.index]
                           : d_.inputs[type.input - 1].class_of_type[type.index];
  }

  Deduplication& d_;
  Definitions definitions_;
  std::vector<TaintedType> types_;
};

}  // namespace

std::expected<void, Error> find_tainted_classes(Deduplication& d) {
  return TaintedClassFinder(d).run();
}

}  // namespace bpflink
