// Tells tainted types apart, and resolves forward declarations among them.
//
// Where a name has several definitions, something must say which of them a
// declaration of the name stands for. From the strongest evidence to the
// weakest:
// 1. the unit, or the base that it is split from, has exactly one definition, or
//    the units do that agree with it on ambiguous names: these are not in the
//    graph at all (instances.cpp);
// 2. all definitions turned out to be equal after all; or they do not differ in
//    their own words, and all those are equal that are settled, that is, reach
//    no declaration that is not resolved itself;
// 3. a struct that refers to the declaration exists elsewhere with a definition
//    in that place, and what is settled in both structs is equal. Where that
//    leaves a choice, what agrees in most places wins, then the struct that is
//    referred to in the same way, and then the contents of the definitions
//    decide, so that the order of inputs does not matter;
// 4. the definitions do not differ in their own words, none is settled, and any
//    will do: two units may each declare what the other one defines;
// 5. other declarations of the name were resolved by 3, or by other units: it
//    goes with most;
// 6. it is of an enum. To declare an enum is an extension of compilers, for
//    pointers to it, which are all alike, and libbpf takes any definition. We
//    take the one that makes most types equal.
// Otherwise it stays a declaration. Resolving one makes types equal that were
// not, which may settle others, so this goes on until nothing changes.
#include "dedup/ambiguity/fold.hpp"

#include <algorithm>
#include <tuple>

#include "dedup/ambiguity/content_hash.hpp"
#include "dedup/ambiguity/mentions.hpp"
#include "dedup/ambiguity/surroundings.hpp"

namespace bpflink {

namespace {

constexpr uint32_t no_node = InstanceGraph::no_node;

// Each round resolves what the one before made possible. Real programs need
// three; the limit is for inputs made to need one for each declaration.
constexpr int max_rounds = 32;

class Folder {
 public:
  Folder(const TypeTable& table, const InstanceGraph& graph);
  Coloring run();

 private:
  bool is_open(uint32_t node) const {
    return graph_.is_declaration(node) && links_[node] == no_node;
  }
  void color();
  void settle();
  bool resolve();
  template <class Choose>
  bool link(Choose&& choose);

  std::span<const uint32_t> definitions(uint32_t anchor) const;
  uint32_t only_definition(uint32_t declaration) const;
  bool have_one_shape(std::span<const uint32_t> nodes) const;
  uint32_t settled_definition(uint32_t declaration) const;
  uint32_t definition_of_one_shape(uint32_t declaration) const;
  bool link_by_mentions();
  uint32_t most_linked(std::span<const uint32_t> definitions) const;
  bool link_as_others();
  uint32_t choose_enum(uint32_t declaration, const Surroundings& surroundings) const;
  bool link_enums();

  const TypeTable& table_;
  const InstanceGraph& graph_;
  std::vector<uint64_t> ranks_;               ///< of nodes, by their contents
  std::vector<uint32_t> definitions_;         ///< by anchor, then owner
  std::vector<uint32_t> declarations_;        ///< that may be resolved and are not
  std::vector<uint32_t> links_;               ///< from declarations to definitions
  std::vector<uint32_t> linked_by_evidence_;  ///< by node: declarations that stand for it
  std::vector<bool> settled_;
  Coloring coloring_;
  Mentions mentions_;
};

Folder::Folder(const TypeTable& table, const InstanceGraph& graph)
    : table_(table),
      graph_(graph),
      links_(graph.nodes().size(), no_node),
      linked_by_evidence_(graph.declaring_parts()),
      mentions_(graph) {
  for (uint32_t node = 0; node < graph.nodes().size(); ++node) {
    if (graph.anchor(node) == 0) continue;
    if (!graph.is_declaration(node))
      definitions_.push_back(node);
    else if (graph.nodes()[node].owner != InstanceGraph::base)
      declarations_.push_back(node);
  }
  std::ranges::sort(definitions_, {}, [&](uint32_t node) {
    return std::tuple(graph_.anchor(node), graph_.nodes()[node].owner, node);
  });
  if (!declarations_.empty()) ranks_ = rank_by_content(table, graph);
}

Coloring Folder::run() {
  color();
  for (int round = 0; round < max_rounds && !declarations_.empty(); ++round) {
    settle();
    if (!resolve()) break;
    color();
  }
  return std::move(coloring_);
}

/// Resolves declarations by the strongest evidence that resolves any.
bool Folder::resolve() {
  auto by = [&](uint32_t (Folder::*choose)(uint32_t) const) {
    return link([&](uint32_t declaration) { return (this->*choose)(declaration); });
  };
  return by(&Folder::only_definition) || by(&Folder::settled_definition) || link_by_mentions() ||
         by(&Folder::definition_of_one_shape) || link_as_others() || link_enums();
}

/// Links the declarations for which `choose` finds a definition.
template <class Choose>
bool Folder::link(Choose&& choose) {
  size_t before = declarations_.size();
  std::erase_if(declarations_, [&](uint32_t declaration) {
    links_[declaration] = choose(declaration);
    return links_[declaration] != no_node;
  });
  return declarations_.size() != before;
}

void Folder::color() {
  coloring_.references = graph_.references();
  for (uint32_t& child : coloring_.references.children)
    if (links_[child] != no_node) child = links_[child];
  coloring_.colors = refine(coloring_.references, graph_.shapes());
  for (uint32_t node = 0; node < links_.size(); ++node)
    if (links_[node] != no_node) coloring_.colors[node] = coloring_.colors[links_[node]];
}

/// Finds the nodes that reach no open declaration.
void Folder::settle() {
  settled_.assign(links_.size(), true);
  Adjacency parents = reverse(coloring_.references);
  std::vector<uint32_t> work = declarations_;
  for (uint32_t node : work) settled_[node] = false;
  while (!work.empty()) {
    uint32_t node = work.back();
    work.pop_back();
    for (uint32_t parent : parents.of(node)) {
      if (!settled_[parent]) continue;
      settled_[parent] = false;
      work.push_back(parent);
    }
  }
}

std::span<const uint32_t> Folder::definitions(uint32_t anchor) const {
  auto range = std::ranges::equal_range(definitions_, anchor, {},
                                        [&](uint32_t node) { return graph_.anchor(node); });
  return {range.begin(), range.end()};
}

/// One of `nodes`, if all of them have the same of something.
template <class Property>
uint32_t common_node(std::span<const uint32_t> nodes, Property&& property) {
  if (nodes.empty()) return no_node;
  bool all = std::ranges::all_of(
      nodes, [&](uint32_t node) { return property(node) == property(nodes[0]); });
  return all ? nodes[0] : no_node;
}

uint32_t Folder::only_definition(uint32_t declaration) const {
  std::span<const uint32_t> all = definitions(graph_.anchor(declaration));
  auto of_owner = [&](uint32_t owner) {
    if (owner == InstanceGraph::no_owner) return std::span<const uint32_t>();
    auto range = std::ranges::equal_range(
        all, owner, {}, [&](uint32_t node) { return graph_.nodes()[node].owner; });
    return std::span<const uint32_t>(range.begin(), range.end());
  };
  std::span<const uint32_t> own = of_owner(graph_.nodes()[declaration].owner);
  if (own.empty()) own = of_owner(InstanceGraph::base);
  return common_node(own.empty() ? all : own,
                     [&](uint32_t node) { return coloring_.colors[node]; });
}

bool Folder::have_one_shape(std::span<const uint32_t> nodes) const {
  return common_node(nodes, [&](uint32_t node) { return graph_.shapes()[node]; }) != no_node;
}

uint32_t Folder::settled_definition(uint32_t declaration) const {
  std::span<const uint32_t> all = definitions(graph_.anchor(declaration));
  if (!have_one_shape(all)) return no_node;
  std::vector<uint32_t> settled;
  std::ranges::copy_if(all, std::back_inserter(settled),
                       [&](uint32_t node) { return settled_[node]; });
  return common_node(settled, [&](uint32_t node) { return coloring_.colors[node]; });
}

uint32_t Folder::definition_of_one_shape(uint32_t declaration) const {
  std::span<const uint32_t> all = definitions(graph_.anchor(declaration));
  if (std::ranges::any_of(all, [&](uint32_t node) { return settled_[node]; })) return no_node;
  if (!have_one_shape(all)) return no_node;
  return *std::ranges::min_element(all, {}, [&](uint32_t node) { return ranks_[node]; });
}

bool Folder::link_by_mentions() {
  Surroundings surroundings(graph_, coloring_.references, coloring_.colors);
  std::vector<uint32_t> chosen =
      mentions_.choose({links_, coloring_.colors, settled_, ranks_, surroundings});
  return link([&](uint32_t declaration) {
    if (chosen[declaration] != no_node) ++linked_by_evidence_[chosen[declaration]];
    return chosen[declaration];
  });
}

/// Of the definitions of one anchor, the one that most declarations stand for by
/// evidence, or no_node.
uint32_t Folder::most_linked(std::span<const uint32_t> definitions) const {
  std::vector<uint32_t> by_color;
  std::ranges::copy_if(definitions, std::back_inserter(by_color),
                       [&](uint32_t node) { return linked_by_evidence_[node] > 0; });
  auto key = [&](uint32_t node) { return std::pair(coloring_.colors[node], ranks_[node]); };
  std::ranges::sort(by_color, {}, key);
  uint32_t chosen = no_node;
  std::pair<uint64_t, uint64_t> best(0, 0);  ///< how many, and the least of ranks
  for (size_t begin = 0, end = 0; begin < by_color.size(); begin = end) {
    uint64_t count = 0;
    for (; end < by_color.size() && key(by_color[end]).first == key(by_color[begin]).first; ++end)
      count += linked_by_evidence_[by_color[end]];
    std::pair score(count, ~ranks_[by_color[begin]]);
    if (chosen != no_node && score <= best) continue;
    best = score;
    chosen = by_color[begin];
  }
  return chosen;
}

bool Folder::link_as_others() {
  std::vector<uint32_t> choices(table_.anchor_count(), no_node);
  for (size_t begin = 0; begin < definitions_.size();) {
    uint32_t anchor = graph_.anchor(definitions_[begin]);
    std::span<const uint32_t> all = definitions(anchor);
    choices[anchor] = most_linked(all);
    begin += all.size();
  }
  return link([&](uint32_t declaration) { return choices[graph_.anchor(declaration)]; });
}

/// The definition of an enum that makes most of the types that refer to the
/// declaration equal to types that refer to it; or else the one that most types
/// refer to.
uint32_t Folder::choose_enum(uint32_t declaration, const Surroundings& surroundings) const {
  using Order = std::tuple<size_t, size_t, uint64_t>;
  uint32_t chosen = no_node;
  Order best;
  for (uint32_t node : definitions(graph_.anchor(declaration))) {
    uint32_t color = coloring_.colors[node];
    Order order(~surroundings.common(coloring_.colors[declaration], color),
                ~surroundings.size(color), ranks_[node]);
    if (chosen != no_node && order >= best) continue;
    chosen = node;
    best = order;
  }
  return chosen;
}

bool Folder::link_enums() {
  Surroundings surroundings(graph_, coloring_.references, coloring_.colors);
  std::vector<uint32_t> choices(table_.anchor_count(), no_node);
  for (uint32_t declaration : declarations_) {
    uint32_t anchor = graph_.anchor(declaration);
    if (table_.anchor_space(anchor) == TagSpace::enums && choices[anchor] == no_node)
      choices[anchor] = choose_enum(declaration, surroundings);
  }
  return link([&](uint32_t declaration) { return choices[graph_.anchor(declaration)]; });
}

}  // namespace

Coloring color_instances(const TypeTable& table, const InstanceGraph& graph) {
  return Folder(table, graph).run();
}

}  // namespace bpflink
