// Makes the model of a kernel small enough for a page: of 78,000 nodes, nobody looks at most.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <tuple>

#include "linker/report/reports.hpp"

namespace bpflink {
namespace {

constexpr size_t max_nodes = 15'000;  ///< of a model that stays as it is
constexpr size_t kept_nodes = 6'000;  ///< the costliest of a larger one

bool is_nameless(const Node& node) {
  return node.name.starts_with('(');
}

/// "tcp" of tcp_sendmsg and __tcp_push: in a kernel, this is mostly the subsystem. The whole name
/// of a node without one.
std::string_view first_word(const Node& node) {
  std::string_view name = node.name;
  if (is_nameless(node)) return name;
  constexpr std::string_view letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  size_t begin = std::min(name.find_first_of(letters), name.size());
  return name.substr(begin, name.find_first_not_of(letters, begin) - begin);
}

class NodeFolder {
 public:
  explicit NodeFolder(const OutputModel& model)
      : model_(model),
        nodes_(model.nodes),
        kept_dominator_(nodes_.size(), no_node),
        numbers_(nodes_.size(), no_node) {}

  OutputModel run() {
    choose_kept();
    find_kept_dominators();
    OutputModel folded = model_;
    folded.nodes.clear();
    for (uint32_t i = 0; i < nodes_.size(); ++i)
      if (is_kept_[i]) add(i, nodes_[i], folded);
    add_groups(folded);
    for (Node& node : folded.nodes) renumber(node);
    add_uses(folded);
    return folded;
  }

 private:
  /// What a group has in common.
  auto key(uint32_t i) const {
    const Node& node = nodes_[i];
    std::string_view word = kept_dominator_[i] == 0 ? first_word(node) : "";
    return std::tuple(kept_dominator_[i], node.section, node.kind, node.input, node.program, word);
  }

  void choose_kept() {
    is_kept_.assign(nodes_.size(), false);
    is_kept_[0] = true;
    std::vector<uint32_t> pending(nodes_.size() - 1);
    std::iota(pending.begin(), pending.end(), 1);
    auto cost = [&](uint32_t i) {
      return std::tuple(!nodes_[i].root.empty(), nodes_[i].brings, ~i);
    };
    std::ranges::sort(pending, std::greater(), cost);
    auto roots = static_cast<size_t>(
        std::ranges::count_if(nodes_, [](const Node& node) { return !node.root.empty(); }));
    pending.resize(std::min(pending.size(), std::max(kept_nodes, roots)));
    while (!pending.empty()) {
      const uint32_t i = pending.back();
      pending.pop_back();
      if (is_kept_[i]) continue;
      is_kept_[i] = true;
      for (uint32_t before : {nodes_[i].needed_by, nodes_[i].dominator, nodes_[i].program})
        if (before != no_node && !is_kept_[before]) pending.push_back(before);
    }
  }

  /// Finds the nearest node above each other node, of those that dominate it, that is kept.
  void find_kept_dominators() {
    std::vector<uint32_t> path;
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      uint32_t at = i;
      for (; !is_kept_[at] && kept_dominator_[at] == no_node; at = nodes_[at].dominator)
        path.push_back(at);
      for (uint32_t below : path) kept_dominator_[below] = is_kept_[at] ? at : kept_dominator_[at];
      path.clear();
    }
  }

  void add(uint32_t i, Node node, OutputModel& folded) {
    numbers_[i] = static_cast<uint32_t>(folded.nodes.size());
    folded.nodes.push_back(std::move(node));
  }

  /// A group of one is the node itself, without what it brings, which is in groups as well.
  void add_groups(OutputModel& folded) {
    std::vector<uint32_t> rest;
    for (uint32_t i = 0; i < nodes_.size(); ++i)
      if (!is_kept_[i]) rest.push_back(i);
    std::ranges::stable_sort(rest, {}, [&](uint32_t i) { return key(i); });
    for (size_t begin = 0, end = 0; begin < rest.size(); begin = end) {
      while (end < rest.size() && key(rest[end]) == key(rest[begin])) ++end;
      auto members = std::span(rest).subspan(begin, end - begin);
      if (members.size() == 1) {
        Node single = nodes_[members[0]];
        single.dominator = kept_dominator_[members[0]];
        single.brings = single.bytes;
        add(members[0], std::move(single), folded);
        continue;
      }
      for (uint32_t i : members) numbers_[i] = static_cast<uint32_t>(folded.nodes.size());
      folded.nodes.push_back(group_of(members));
    }
  }

  Node group_of(std::span<const uint32_t> members) const {
    const Node& first = nodes_[members[0]];
    Node group{.name = {}, .kind = first.kind, .section = first.section, .input = first.input};
    group.dominator = group.needed_by = kept_dominator_[members[0]];
    group.program = first.program;
    group.folded = static_cast<uint32_t>(members.size());
    for (uint32_t i : members) group.bytes += nodes_[i].bytes;
    group.brings = group.bytes;
    if (group.dominator != 0)
      group.name =
          fmt::format("{}: {} smaller", nodes_[group.dominator].name, grouped(group.folded));
    else if (is_nameless(first))
      group.name = fmt::format("{}, {} times", first.name, grouped(group.folded));
    else
      group.name = fmt::format("{}* ({} smaller)", first_word(first), grouped(group.folded));
    return group;
  }

  /// Turns the numbers of other nodes into those of the folded model.
  void renumber(Node& node) const {
    auto number_of = [&](uint32_t i) { return i == no_node ? i : numbers_[i]; };
    node.needed_by = number_of(node.needed_by);
    node.dominator = number_of(node.dominator);
    node.program = number_of(node.program);
  }

  void add_uses(OutputModel& folded) const {
    folded.uses = Graph::make(static_cast<uint32_t>(folded.nodes.size()), [&](auto add) {
      for (uint32_t from = 0; from < model_.uses.size(); ++from)
        for (uint32_t to : model_.uses.edges(from))
          if (numbers_[from] != numbers_[to]) add(numbers_[from], numbers_[to]);
    });
  }

  const OutputModel& model_;
  const std::vector<Node>& nodes_;
  std::vector<bool> is_kept_;
  std::vector<uint32_t> kept_dominator_;  ///< by node that is not kept
  std::vector<uint32_t> numbers_;         ///< by node: its number in the folded model
};

}  // namespace

OutputModel fold_small_nodes(const OutputModel& model) {
  if (model.nodes.size() <= max_nodes) return model;
  return NodeFolder(model).run();
}

}  // namespace bpflink
