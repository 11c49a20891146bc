// An output is a graph: a program reads a struct, which has members, which have types. Node 0
// stands for the whole output. It refers to the roots: programs, maps, and all that nothing else
// refers to.
//
// The builder answers three questions about each node. Which shortest chain of references leads to
// it? Which nodes do all chains to it pass through? These dominate the node: if one of them went,
// the node would go with it. Which program reaches it?
//
// Nodes without a name get no line of their own. They are shown with the nearest named node that
// dominates them. A pointer that several nodes need is shown with what it points to.
#include "linker/report/model_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "linker/report/dominators.hpp"

namespace bpflink {
namespace {

/// The nodes in an order in which dominators come before what they dominate.
std::vector<uint32_t> dominators_first(const std::vector<uint32_t>& dominators) {
  auto count = static_cast<uint32_t>(dominators.size());
  Graph tree = Graph::make(count, [&](auto add) {
    for (uint32_t node = 1; node < count; ++node) add(dominators[node], node);
  });
  std::vector<uint32_t> order = {0};
  for (size_t i = 0; i < order.size(); ++i)
    for (uint32_t child : tree.edges(order[i])) order.push_back(child);
  return order;
}

}  // namespace

uint32_t ModelBuilder::add_section(std::string name, std::string_view kind, uint64_t bytes,
                                   std::string_view rest) {
  model_.sections.push_back({std::move(name), kind, bytes});
  rest_.push_back(rest);
  return static_cast<uint32_t>(rest_.size()) - 1;
}

uint32_t ModelBuilder::add(Node node) {
  nodes_.push_back(std::move(node));
  return static_cast<uint32_t>(nodes_.size()) - 1;
}

void ModelBuilder::add_rests() {
  std::vector<uint64_t> rests;
  rests.reserve(model_.sections.size());
  for (const SectionSize& section : model_.sections) rests.push_back(section.bytes);
  for (const Node& node : std::span(nodes_).subspan(1)) rests[node.section] -= node.bytes;
  for (uint32_t i = 0; i < rests.size(); ++i)
    if (rests[i] != 0)
      add({.name = fmt::format("({})", rest_[i]),
           .kind = rest_[i],
           .section = i,
           .bytes = rests[i]});
}

std::vector<uint32_t> ModelBuilder::finish() {
  add_rests();
  find_roots();
  dominators_ = find_dominators(graph_);
  find_chains();
  find_programs();
  fold();
  emit_nodes();
  emit_chains();
  emit_uses();
  sum_up();
  return std::move(number_);
}

/// Node 0 refers to the given roots, then to nodes that nothing refers to, then to the lowest node
/// of each circle that is not reached otherwise.
void ModelBuilder::find_roots() {
  auto count = static_cast<uint32_t>(nodes_.size());
  graph_ = Graph::make(count, [&](auto add) {
    for (auto [from, to] : references_) add(from, to);
  });
  std::vector<bool> is_needed(count), is_reached(count);
  for (auto [from, to] : references_)
    if (from != to) is_needed[to] = true;
  std::vector<uint32_t> roots;
  auto begin_at = [&](auto is_root) {
    for (uint32_t node = 1; node < count; ++node) {
      if (is_reached[node] || !is_root(node)) continue;
      roots.push_back(node);
      graph_.mark_reachable(node, is_reached);
    }
  };
  for (uint32_t node = 1; node < count; ++node)
    if (!nodes_[node].root.empty()) roots.push_back(node);
  for (uint32_t root : roots) graph_.mark_reachable(root, is_reached);
  begin_at([&](uint32_t node) { return !is_needed[node]; });
  begin_at([](uint32_t) { return true; });
  graph_ = Graph::make(count, [&](auto add) {
    for (uint32_t root : roots) add(0, root);
    for (auto [from, to] : references_) add(from, to);
  });
}

/// Breadth first: the first chain that comes to a node is a shortest one.
void ModelBuilder::find_chains() {
  reached_from_.assign(nodes_.size(), no_node);
  member_.assign(nodes_.size(), {});
  chains_ = {0};
  reached_from_[0] = 0;
  for (size_t i = 0; i < chains_.size(); ++i) {
    uint32_t node = chains_[i];
    for (uint32_t used : graph_.edges(node)) {
      if (reached_from_[used] != no_node) continue;
      reached_from_[used] = node;
      chains_.push_back(used);
    }
    if (node != 0 && visit_members_)
      visit_members_(node, [&](uint32_t to, std::string_view name) {
        if (reached_from_[to] == node && member_[to].empty()) member_[to] = name;
      });
  }
}

/// Finds, for each node that is shown, the shown node before it, and the members in between.
void ModelBuilder::emit_chains() {
  constexpr size_t longest = 60;
  std::vector<uint32_t> before(nodes_.size());
  std::vector<std::string> members(nodes_.size());
  for (uint32_t node : std::span(chains_).subspan(1)) {
    uint32_t from = reached_from_[node];
    bool is_shown = part_[from] == from;
    before[node] = is_shown ? from : before[from];
    if (!is_shown) members[node] = members[from];
    if (!member_[node].empty() && members[node].size() < longest)
      members[node].append(members[node].empty() ? "" : ".").append(member_[node]);
    if (part_[node] != node) continue;
    Node& made = model_.nodes[number_[node]];
    made.needed_by = number_[before[node]];
    made.member = members[node];
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

void ModelBuilder::fold() {
  auto count = static_cast<uint32_t>(nodes_.size());
  std::vector<bool> is_unnamed(count), is_wrapper(count), is_shared_wrapper(count);
  std::vector<uint32_t> wrapped(count, no_node);
  for (const Unnamed& unnamed : unnamed_) {
    is_unnamed[unnamed.node] = true;
    is_wrapper[unnamed.node] = unnamed.wrapped != unnamed.node;
    if (is_wrapper[unnamed.node]) wrapped[unnamed.node] = unnamed.wrapped;
  }
  part_.resize(count);
  is_shared_wrapper[0] = true;
  for (uint32_t node : dominators_first(dominators_)) {
    if (node == 0) continue;
    uint32_t dominator = dominators_[node];
    bool is_first =
        is_shared_wrapper[dominator] || nodes_[dominator].section != nodes_[node].section;
    part_[node] = is_first || !is_unnamed[node] ? node : part_[dominator];
    is_shared_wrapper[node] = is_first && is_wrapper[node];
  }
  std::vector<bool> is_done(count);
  for (uint32_t node = 1; node < count; ++node) {
    std::vector<uint32_t> path;
    uint32_t at = node;
    for (; is_shared_wrapper[at] && wrapped[at] != no_node && !is_done[at]; at = wrapped[at]) {
      is_done[at] = true;
      path.push_back(at);
    }
    for (uint32_t wrapper : path) part_[wrapper] = part_[at];
  }
}

void ModelBuilder::emit_nodes() {
  auto count = static_cast<uint32_t>(nodes_.size());
  std::vector<uint32_t> order;
  for (uint32_t node = 1; node < count; ++node)
    if (part_[node] == node) order.push_back(node);
  std::ranges::stable_sort(order, {}, [&](uint32_t node) { return nodes_[node].section; });
  order.insert(order.begin(), 0);
  number_.assign(count, 0);
  for (uint32_t i = 0; i < order.size(); ++i) number_[order[i]] = i;
  for (uint32_t node = 1; node < count; ++node) {
    number_[node] = number_[part_[node]];
    if (part_[node] != node) nodes_[part_[node]].bytes += nodes_[node].bytes;
  }
  for (uint32_t node : order) {
    model_.nodes.push_back(std::move(nodes_[node]));
    Node& made = model_.nodes.back();
    made.brings = made.bytes;
    if (node == 0) continue;
    // A wrapper that is shown with the node may dominate it.
    uint32_t dominator = dominators_[node];
    while (dominator != 0 && part_[dominator] == node) dominator = dominators_[dominator];
    made.dominator = number_[dominator];
    if (made.program != no_node) made.program = number_[made.program];
  }
}

void ModelBuilder::emit_uses() {
  std::vector<std::pair<uint32_t, uint32_t>> uses;
  for (auto [from, to] : references_)
    if (number_[from] != number_[to]) uses.emplace_back(number_[from], number_[to]);
  std::ranges::sort(uses);
  uses.erase(std::ranges::unique(uses).begin(), uses.end());
  model_.uses = Graph::make(static_cast<uint32_t>(model_.nodes.size()), [&](auto add) {
    for (auto [from, to] : uses) add(from, to);
  });
}

void ModelBuilder::sum_up() {
  std::vector<uint32_t> above;
  above.reserve(model_.nodes.size());
  for (const Node& node : model_.nodes) above.push_back(node.dominator);
  std::vector<uint32_t> tree = dominators_first(above);
  for (size_t i = tree.size(); i-- > 1;)
    model_.nodes[above[tree[i]]].brings += model_.nodes[tree[i]].brings;
  for (const Node& node : std::span(model_.nodes).subspan(1)) {
    if (node.input != no_node) model_.inputs[node.input].bytes += node.bytes;
    std::string_view category = category_of(node.kind);
    auto found = std::ranges::find(model_.categories, category, &NamedSize::name);
    if (found == model_.categories.end())
      model_.categories.push_back({std::string(category), node.bytes});
    else
      found->bytes += node.bytes;
  }
  std::ranges::stable_sort(model_.categories, std::greater(), &NamedSize::bytes);
}

}  // namespace bpflink
