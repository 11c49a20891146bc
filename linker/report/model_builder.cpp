// An output is a graph: a program reads a struct, which has members, which have types. Node 0
// stands for the whole output. It refers to the roots: programs, maps, and all that nothing else
// refers to.
//
// The builder answers three questions about each node. Which shortest chain of references leads to
// it? Which nodes do all chains to it pass through? These dominate the node: if one of them went,
// the node would go with it. Which program reaches it?
//
// Nodes without a name get no line of their own. They are shown with the nearest named node that
// dominates them. A pointer that several nodes need is shown with the type that it points to.
#include "linker/report/model_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace bpflink {

uint32_t ModelBuilder::add_section(std::string name, std::string_view kind, uint64_t bytes,
                                   std::string_view rest) {
  model.sections.push_back({std::move(name), kind, bytes});
  rest_.push_back(rest);
  return static_cast<uint32_t>(rest_.size()) - 1;
}

uint32_t ModelBuilder::add(uint32_t section, std::string_view kind, std::string_view name,
                           uint64_t bytes, uint32_t input) {
  nodes_.push_back({cut_name(name), kind, section, input, bytes});
  wrapped_.push_back(0);
  return static_cast<uint32_t>(nodes_.size()) - 1;
}

void ModelBuilder::add_rests() {
  std::vector<uint64_t> rests;
  rests.reserve(model.sections.size());
  for (const SectionSize& section : model.sections) rests.push_back(section.bytes);
  for (const Node& node : std::span(nodes_).subspan(1)) rests[node.section] -= node.bytes;
  for (uint32_t i = 0; i < rests.size(); ++i)
    if (rests[i] != 0) add(i, rest_[i], fmt::format("({})", rest_[i]), rests[i]);
}

std::vector<uint32_t> ModelBuilder::finish() {
  add_rests();
  find_roots();
  dominators_ = find_dominators(graph_);
  find_chains();
  find_programs();
  attach_unnamed();
  emit_nodes();
  emit_chains();
  emit_uses();
  sum_up();
  return std::move(number_);
}

/// Node 0 refers to the given roots, then to nodes that nothing refers to, then to the lowest node
/// of each circle that no other root reaches.
void ModelBuilder::find_roots() {
  auto count = static_cast<uint32_t>(nodes_.size());
  std::vector<bool> is_reached(count);
  is_needed_.resize(count);
  for (const Reference& reference : references_)
    if (reference.from != reference.to) is_needed_[reference.to] = true;
  std::vector<uint32_t> roots;
  for (uint32_t node = 1; node < count; ++node)
    if (!nodes_[node].root.empty()) roots.push_back(node);
  for (uint32_t node = 1; node < count; ++node)
    if (nodes_[node].root.empty() && !is_needed_[node]) roots.push_back(node);
  auto connect = [&] {
    graph_ = Graph::make(count, [&](auto add) {
      for (uint32_t root : roots) add(0, root);
      for (const Reference& reference : references_) add(reference.from, reference.to);
    });
  };
  connect();
  graph_.mark_reachable(0, is_reached);
  for (uint32_t node = 1; node < count; ++node) {
    if (is_reached[node]) continue;
    roots.push_back(node);
    graph_.mark_reachable(node, is_reached);
  }
  connect();
}

/// Breadth first: the first chain that comes to a node is a shortest one. Chains that start at a
/// wrapper, such as a pointer that nothing refers to, come last, because they explain least.
void ModelBuilder::find_chains() {
  reached_from_.assign(nodes_.size(), no_node);
  reached_from_[0] = 0;
  order_ = {0};
  auto reach = [&](uint32_t node, uint32_t from) {
    if (reached_from_[node] != no_node) return;
    reached_from_[node] = from;
    order_.push_back(node);
  };
  size_t next = 1;
  for (bool is_last : {false, true}) {
    for (uint32_t root : graph_.edges(0)) {
      bool is_wrapper = wrapped_[root] != 0 && wrapped_[root] != root;
      if (is_last || !is_wrapper) reach(root, 0);
    }
    for (; next < order_.size(); ++next)
      for (uint32_t used : graph_.edges(order_[next])) reach(used, order_[next]);
  }
  member_.resize(nodes_.size());
  for (const Reference& reference : references_)
    if (reached_from_[reference.to] == reference.from && member_[reference.to].empty())
      member_[reference.to] = reference.member;
}

/// What the chain to a shown node starts with, if not with that node itself. `first` is the first
/// node on the chain.
std::string_view ModelBuilder::chain_start(uint32_t node, uint32_t first) const {
  if (is_needed_[first]) return "circle";
  return first == node ? "" : nodes_[first].kind;
}

/// Finds the shown node before each shown node on its chain, and the members in between.
void ModelBuilder::emit_chains() {
  constexpr size_t longest = 60;
  std::vector<uint32_t> before(nodes_.size()), first(nodes_.size());
  std::vector<std::string> members(nodes_.size());
  for (uint32_t node : std::span(order_).subspan(1)) {
    uint32_t from = reached_from_[node];
    first[node] = from == 0 ? node : first[from];
    bool is_shown = shown_as_[from] == from;
    before[node] = is_shown ? from : before[from];
    if (!is_shown) members[node] = members[from];
    if (!member_[node].empty() && members[node].size() < longest)
      members[node].append(members[node].empty() ? "" : ".").append(cut_name(member_[node]));
    if (shown_as_[node] != node) continue;
    Node& made = model.nodes[number_[node]];
    made.needed_by = number_[before[node]];
    made.member = members[node];
    if (made.needed_by == 0 && made.root.empty()) made.chain_start = chain_start(node, first[node]);
  }
}

/// Visits each node at most twice: when a first program reaches it, and when a second one does.
void ModelBuilder::find_programs() {
  std::vector<uint32_t> pending;
  for (uint32_t node = 1; node < nodes_.size(); ++node) {
    if (nodes_[node].kind != "program") continue;
    nodes_[node].program = node;
    pending.push_back(node);
  }
  while (!pending.empty()) {
    uint32_t node = pending.back();
    pending.pop_back();
    for (uint32_t used : graph_.edges(node)) {
      uint32_t& program = nodes_[used].program;
      if (nodes_[used].kind == "program" || program == 0 || program == nodes_[node].program)
        continue;
      program = program == no_node ? nodes_[node].program : 0;
      pending.push_back(used);
    }
  }
}

/// Finds the node that each node is shown with. A dominator is on the chains of the nodes that it
/// dominates, and thus before them in order_.
void ModelBuilder::attach_unnamed() {
  std::vector<bool> is_shared_wrapper(nodes_.size()), is_done(nodes_.size());
  is_shared_wrapper[0] = true;
  shown_as_.resize(nodes_.size());
  for (uint32_t node : std::span(order_).subspan(1)) {
    uint32_t dominator = dominators_[node];
    bool is_named = wrapped_[node] == 0, is_wrapper = !is_named && wrapped_[node] != node;
    bool is_first =
        is_shared_wrapper[dominator] || nodes_[dominator].section != nodes_[node].section;
    shown_as_[node] = is_first || is_named ? node : shown_as_[dominator];
    is_shared_wrapper[node] = is_first && is_wrapper;
  }
  for (uint32_t node = 1; node < nodes_.size(); ++node) {
    std::vector<uint32_t> path;
    uint32_t at = node;
    for (; is_shared_wrapper[at] && wrapped_[at] != no_node && !is_done[at]; at = wrapped_[at]) {
      is_done[at] = true;
      path.push_back(at);
    }
    for (uint32_t wrapper : path) shown_as_[wrapper] = shown_as_[at];
  }
}

void ModelBuilder::emit_nodes() {
  auto count = static_cast<uint32_t>(nodes_.size());
  std::vector<uint32_t> order;
  for (uint32_t node = 1; node < count; ++node)
    if (shown_as_[node] == node) order.push_back(node);
  std::ranges::stable_sort(order, {}, [&](uint32_t node) { return nodes_[node].section; });
  order.insert(order.begin(), 0);
  number_.assign(count, 0);
  for (uint32_t i = 0; i < order.size(); ++i) number_[order[i]] = i;
  for (uint32_t node = 1; node < count; ++node) {
    number_[node] = number_[shown_as_[node]];
    if (shown_as_[node] != node) nodes_[shown_as_[node]].bytes += nodes_[node].bytes;
  }
  model.nodes.reserve(order.size());
  for (uint32_t node : order) {
    model.nodes.push_back(std::move(nodes_[node]));
    Node& made = model.nodes.back();
    made.brings = made.bytes;
    if (node == 0) continue;
    // A wrapper that is shown with the node may dominate it.
    uint32_t dominator = dominators_[node];
    while (dominator != 0 && shown_as_[dominator] == node) dominator = dominators_[dominator];
    made.dominator = number_[dominator];
    if (made.program != no_node) made.program = number_[made.program];
  }
}

void ModelBuilder::emit_uses() {
  model.uses = Graph::make(static_cast<uint32_t>(model.nodes.size()), [&](auto add) {
    for (const Reference& reference : references_) {
      uint32_t from = number_[reference.from], to = number_[reference.to];
      if (from != to) add(from, to);
    }
  });
}

void ModelBuilder::sum_up() {
  auto count = static_cast<uint32_t>(model.nodes.size());
  Graph tree = Graph::make(count, [&](auto add) {
    for (uint32_t node = 1; node < count; ++node) add(model.nodes[node].dominator, node);
  });
  std::vector<uint32_t> order = {0};
  for (size_t i = 0; i < order.size(); ++i)
    for (uint32_t child : tree.edges(order[i])) order.push_back(child);
  for (size_t i = order.size(); i-- > 1;) {
    const Node& node = model.nodes[order[i]];
    model.nodes[node.dominator].brings += node.brings;
  }
  for (const Node& node : std::span(model.nodes).subspan(1)) {
    if (node.input != no_node) model.inputs[node.input].bytes += node.bytes;
    std::string_view category = category_of(node.kind);
    auto found = std::ranges::find(model.categories, category, &NamedSize::name);
    if (found == model.categories.end())
      model.categories.push_back({std::string(category), node.bytes});
    else
      found->bytes += node.bytes;
  }
  std::ranges::stable_sort(model.categories, std::greater(), &NamedSize::bytes);
}

}  // namespace bpflink
