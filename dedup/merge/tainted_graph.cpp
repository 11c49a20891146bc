#include "dedup/merge/tainted_graph.hpp"

#include <algorithm>
#include <tuple>

#include "dedup/merge/interner.hpp"

namespace bpflink {

Definitions::Definitions(const ClassTable& table)
    : counts(table.anchor_count()), classes(table.anchor_count()) {
  for (uint32_t c = 1; c < table.class_count(); ++c) {
    if (!table.is_definition(c)) continue;
    uint32_t anchor = table.anchor_of(c);
    if (counts[anchor]++ == 0) classes[anchor] = c;
  }
}

std::vector<uint32_t> Definitions::find_ambiguous() const {
  std::vector<uint32_t> ambiguous;
  for (uint32_t anchor = 1; anchor < counts.size(); ++anchor)
    if (is_ambiguous(anchor)) ambiguous.push_back(anchor);
  return ambiguous;
}

TagGraph::TagGraph(const ClassTable& table, const Definitions& definitions)
    : anchor_count_(table.anchor_count()) {
  edges_.starts.reserve(anchor_count_ + table.class_count() + 1);
  for (uint32_t count : definitions.counts) edges_.starts.push_back(edges_.starts.back() + count);
  edges_.targets.resize(edges_.starts.back());
  // The edges of anchors have their places already; those of classes follow.
  std::vector<uint32_t> next(edges_.starts.begin(), edges_.starts.end() - 1);
  for (uint32_t c = 0; c < table.class_count(); ++c) {
    if (c != 0)
      for_each_reference(table.words(c), [&](Reference r) {
        if (r != 0) edges_.targets.push_back(r & anchor_bit ? r & ~anchor_bit : node_of_class(r));
      });
    if (uint32_t anchor = table.anchor_of(c); anchor != 0) {
      edges_.targets.push_back(anchor);
      if (table.is_definition(c)) edges_.targets[next[anchor]++] = node_of_class(c);
    }
    edges_.end_node();
  }
  reversed_ = edges_.reversed();
}

std::vector<bool> TagGraph::find_reaching(const std::vector<uint32_t>& anchors) const {
  std::vector<bool> reaching(edges_.size());
  for (uint32_t anchor : anchors) reversed_.mark_reachable(anchor, reaching);
  return reaching;
}

// Makes the graph of tainted types. Each type has a node of its own, but declarations with the same
// candidates share one.

namespace {

/// Lists of definitions, one for each anchor and group: an input (0 is the base), a binding (0 is
/// "all declared only"), or 0 for all.
class DefinitionLists {
 public:
  void add(uint32_t anchor, uint32_t group, uint32_t node) {
    entries_.push_back({anchor, group, node});
  }

  /// Appends the lists to `all`, and numbers them as its nodes. Call once, after all add().
  void append_to(Graph& all) {
    std::ranges::sort(entries_);
    entries_.erase(std::ranges::unique(entries_).begin(), entries_.end());
    for (const Entry& entry : entries_) {
      if (lists_.empty() || lists_.back().anchor != entry.anchor ||
          lists_.back().group != entry.group) {
        lists_.push_back({entry.anchor, entry.group, all.size()});
        all.starts.push_back(all.starts.back());
      }
      all.targets.push_back(entry.node);
      ++all.starts.back();
    }
  }

  /// The number of a list, or Candidates::none.
  uint32_t find(uint32_t anchor, uint32_t group) const {
    auto found = std::ranges::lower_bound(lists_, Entry{anchor, group, 0}, [](auto& a, auto& b) {
      return std::tie(a.anchor, a.group) < std::tie(b.anchor, b.group);
    });
    bool is_there = found != lists_.end() && found->anchor == anchor && found->group == group;
    return is_there ? found->node : Candidates::none;
  }

 private:
  struct Entry {
    uint32_t anchor, group;
    uint32_t node;  ///< of a definition; in `lists_`, the number of the list
    auto operator<=>(const Entry&) const = default;
  };
  std::vector<Entry> entries_, lists_;
};

class GraphMaker {
 public:
  GraphMaker(const Deduplication& d, const Definitions& definitions,
             std::span<const TaintedType> types, std::span<const uint32_t> bindings)
      : d_(d), definitions_(definitions), types_(types), bindings_(bindings) {}

  TaintedGraph run() {
    make_nodes();
    list_candidates();
    add_references();
    return std::move(graph_);
  }

 private:
  void make_nodes() {
    graph_.nodes.reserve(types_.size());
    for (uint32_t i = 0; i < types_.size(); ++i) {
      uint32_t type_class = types_[i].type_class;
      graph_.nodes.push_back(d_.table.is_forward(type_class) ? node_of_declaration(i)
                                                             : new_node(type_class));
      if (types_[i].input == 0) graph_.nodes_of_base = static_cast<uint32_t>(graph_.classes.size());
    }
  }

  /// `number` is that of a tainted type that is a declaration.
  uint32_t node_of_declaration(uint32_t number) {
    const TaintedType& type = types_[number];
    uint32_t anchor = d_.table.anchor_of(type.type_class);
    uint32_t key = keys_.intern(std::array{anchor, type.input, binding_of(number)});
    if (key > graph_.declarations.size()) {  // a new key
      graph_.declarations.push_back({new_node(type.type_class), anchor, {}});
      declaring_types_.push_back(number);
    }
    uint32_t node = graph_.declarations[key - 1].node;
    if (d_.table.is_better(type.type_class, graph_.classes[node]))
      graph_.classes[node] = type.type_class;
    return node;
  }

  uint32_t new_node(uint32_t type_class) {
    graph_.classes.push_back(type_class);
    return static_cast<uint32_t>(graph_.classes.size()) - 1;
  }

  uint32_t binding_of(uint32_t number) const { return bindings_.empty() ? 0 : bindings_[number]; }

  /// Lists the definitions that declarations may resolve to, by the rules of dedup.cpp.
  void list_candidates() {
    std::vector<bool> is_declared(d_.table.anchor_count());
    for (const Declaration& declaration : graph_.declarations)
      is_declared[declaration.anchor] = true;
    DefinitionLists by_input, by_binding, all;
    for (uint32_t i = 0; i < types_.size(); ++i) {
      const TaintedType& type = types_[i];
      uint32_t anchor = d_.table.anchor_of(type.type_class);
      if (!d_.table.is_definition(type.type_class) || !is_declared[anchor]) continue;
      by_input.add(anchor, type.input, graph_.nodes[i]);
      if (definitions_.is_ambiguous(anchor)) continue;
      if (!bindings_.empty()) by_binding.add(anchor, bindings_[i], graph_.nodes[i]);
      all.add(anchor, 0, graph_.nodes[i]);
    }
    for (DefinitionLists* lists : {&by_input, &by_binding, &all})
      lists->append_to(graph_.candidates);
    for (size_t i = 0; i < graph_.declarations.size(); ++i) {
      Declaration& declaration = graph_.declarations[i];
      uint32_t number = declaring_types_[i];
      const TaintedType& type = types_[number];
      if (type.input == 0) continue;  // the base does not change
      uint32_t anchor = declaration.anchor;
      declaration.candidates[0] = {by_input.find(anchor, 0), by_input.find(anchor, type.input)};
      declaration.candidates[1].others = by_binding.find(anchor, binding_of(number));
      declaration.candidates[2].others = all.find(anchor, 0);
    }
  }

  void add_references() {
    for (uint32_t i = 0; i < types_.size(); ++i) {
      if (graph_.nodes[i] != graph_.references.size()) continue;  // not the first type of its node
      add_references_of(types_[i]);
      graph_.references.end_node();
    }
  }

  /// Adds the references of a type to tainted types.
  void add_references_of(const TaintedType& type) {
    auto add_reference = [&](uint32_t type_class) {
      uint32_t classes = d_.table.class_count();
      if (type_class >= classes)
        graph_.references.targets.push_back(graph_.nodes[type_class - classes]);
    };
    if (type.input == 0) {
      for_each_reference(d_.options.base->type(type.index).words(), [&](uint32_t child) {
        if (is_class(d_.base_classes[child])) add_reference(d_.base_classes[child]);
      });
      return;
    }
    const Input& input = d_.inputs[type.input - 1];
    uint32_t first_id = input.types().first_id();
    for_each_reference(input.types().words_of(first_id + type.index), [&](uint32_t child) {
      add_reference(child < first_id ? d_.base_classes[child]
                                     : input.class_of_type[child - first_id]);
    });
  }

  const Deduplication& d_;
  const Definitions& definitions_;
  std::span<const TaintedType> types_;
  std::span<const uint32_t> bindings_;
  TaintedGraph graph_;
  Interner keys_;                          ///< by declaration: what its candidates depend on
  std::vector<uint32_t> declaring_types_;  ///< by declaration: the number of its first type
};

}  // namespace

TaintedGraph make_tainted_graph(const Deduplication& d, const Definitions& definitions,
                                std::span<const TaintedType> types,
                                std::span<const uint32_t> bindings) {
  return GraphMaker(d, definitions, types, bindings).run();
}

}  // namespace bpflink
