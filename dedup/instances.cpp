// Builds the graph of the tainted types.
//
// A class and an environment together say exactly which type is meant: what the
// class refers to by the name of an anchor is what the environment has under
// that name, and a unit has no more than one definition of a name unless its
// types are in local classes, which do not refer by name. So the types of
// thousands of units that agree make one node each.
#include "dedup/instances.hpp"

#include <algorithm>

#include "dedup/canonicalize.hpp"

namespace bpflink {

InstanceGraph::InstanceGraph(const TypeTable& table, const Taint& taint,
                             std::span<const Unit> units)
    : table_(table),
      taint_(taint),
      seen_(table.class_count()),
      class_nodes_(table.class_count(), no_node),
      anchor_nodes_(table.anchor_count(), no_node) {
  for (const Unit& unit : units) add_unit(unit, &unit == units.data());
  leave();
  enter(base_environment);
  base_class_nodes_ = class_nodes_;
  base_anchor_nodes_ = anchor_nodes_;
  connect();
}

/// Lists the tainted classes of a unit's types, each once.
void InstanceGraph::collect_tainted(const Unit& unit) {
  tainted_.clear();
  if (taint_.is_empty()) return;
  for (uint32_t c : unit.classes) {
    if (c == omitted_class || !taint_.of_class(c) || seen_[c]) continue;
    seen_[c] = true;
    tainted_.push_back(c);
  }
  for (uint32_t c : tainted_) seen_[c] = false;
}

void InstanceGraph::add_unit(const Unit& unit, bool is_base) {
  collect_tainted(unit);
  std::vector<uint32_t> anchor_classes;
  for (uint32_t c : tainted_)
    if (table_.anchor_of(c) != 0) anchor_classes.push_back(c);
  std::ranges::sort(anchor_classes);
  if (is_base) {
    environments_.push_back({std::move(anchor_classes), {}, {}});
    unit_environments_.push_back(base_environment);
  } else {
    unit_environments_.push_back(intern_environment(std::move(anchor_classes)));
  }
  add_instances(unit_environments_.back());
}

uint32_t InstanceGraph::intern_environment(std::vector<uint32_t> anchor_classes) {
  uint32_t hash = hash_bytes(anchor_classes.data(), anchor_classes.size() * sizeof(uint32_t));
  uint32_t found = environment_index_.find(hash, [&](uint32_t environment) {
    return environments_[environment].anchor_classes == anchor_classes;
  });
  if (found != 0) return found;
  auto environment = static_cast<uint32_t>(environments_.size());
  environments_.push_back({std::move(anchor_classes), {}, {}});
  environment_index_.insert(hash, environment);
  return environment;
}

/// Makes nodes for the unit's tainted classes that its environment has not.
void InstanceGraph::add_instances(uint32_t environment) {
  enter(environment);
  // Definitions first, so that declarations find theirs.
  std::ranges::stable_partition(tainted_, [&](uint32_t c) {
    return table_.anchor_of(c) == 0 || !bpflink::is_declaration(table_.words(c).data());
  });
  Environment& env = environments_[environment];
  for (uint32_t c : tainted_) {
    if (class_nodes_[c] != no_node) continue;
    uint32_t anchor = table_.anchor_of(c);
    bool is_shared = anchor != 0 && table_.reference_to(c) != c;
    auto node = static_cast<uint32_t>(nodes_.size());
    // Within one unit a tag has one meaning, so a definition settles it.
    if (is_shared && anchor_nodes_[anchor] != no_node && environment != base_environment)
      node = anchor_nodes_[anchor];
    else
      nodes_.push_back({c, environment});
    env.classes.push_back(c);
    env.nodes.push_back(node);
    class_nodes_[c] = node;
    if (anchor != 0 && anchor_nodes_[anchor] == no_node) anchor_nodes_[anchor] = node;
  }
}

/// Makes the nodes of an environment those that find() finds.
void InstanceGraph::enter(uint32_t environment) {
  if (environment == entered_) return;
  leave();
  entered_ = environment;
  const Environment& env = environments_[environment];
  for (size_t i = 0; i < env.classes.size(); ++i) {
    class_nodes_[env.classes[i]] = env.nodes[i];
    uint32_t anchor = table_.anchor_of(env.classes[i]);
    if (anchor != 0 && anchor_nodes_[anchor] == no_node) anchor_nodes_[anchor] = env.nodes[i];
  }
}

void InstanceGraph::leave() {
  if (entered_ == no_node) return;
  for (uint32_t c : environments_[entered_].classes) {
    class_nodes_[c] = no_node;
    anchor_nodes_[table_.anchor_of(c)] = no_node;
  }
  entered_ = no_node;
}

/// The node that a tainted reference means in the environment at hand; what it
/// does not have is the base's.
uint32_t InstanceGraph::find(Reference reference) const {
  if (reference & anchor_bit) {
    uint32_t node = anchor_nodes_[reference & ~anchor_bit];
    return node != no_node ? node : base_anchor_nodes_[reference & ~anchor_bit];
  }
  return class_nodes_[reference] != no_node ? class_nodes_[reference]
                                            : base_class_nodes_[reference];
}

/// Fills in the nodes' references and shapes.
void InstanceGraph::connect() {
  TypeTable shapes;
  std::vector<uint32_t> form;
  shapes_.reserve(nodes_.size());
  // Nodes of one environment need not be next to each other: list them.
  std::vector<std::vector<uint32_t>> by_environment(environments_.size());
  for (uint32_t node = 0; node < nodes_.size(); ++node)
    by_environment[nodes_[node].environment].push_back(node);
  std::vector<uint32_t> starts(nodes_.size() + 1);
  for (uint32_t node = 0; node < nodes_.size(); ++node) {
    for_each_reference(words(node), [&](Reference r) { starts[node + 1] += taint_.of(r); });
    starts[node + 1] += starts[node];
  }
  references_.starts = std::move(starts);
  references_.children.resize(references_.starts.back());
  for (uint32_t environment = 0; environment < environments_.size(); ++environment) {
    enter(environment);
    for (uint32_t node : by_environment[environment]) {
      uint32_t* next = references_.children.data() + references_.starts[node];
      for_each_reference(words(node), [&](Reference r) {
        if (taint_.of(r)) *next++ = find(r);
      });
    }
  }
  for (uint32_t node = 0; node < nodes_.size(); ++node) add_shape(node, shapes, form);
}

/// Colors a node by its words, with only the names of what is tainted.
void InstanceGraph::add_shape(uint32_t node, TypeTable& shapes, std::vector<uint32_t>& form) {
  // No class has this number: what is hidden equals only what is hidden.
  constexpr Reference hidden = anchor_bit - 1;
  std::span<const uint32_t> form_words = words(node);
  form.assign(form_words.begin(), form_words.end());
  for_each_reference(std::span(form), [&](Reference& r) {
    if ((r & anchor_bit) != 0 || !taint_.of(r)) return;
    uint32_t anchor = table_.anchor_of(r);
    r = anchor != 0 ? anchor_bit | anchor : hidden;
  });
  // The declarations of an enum mean the same whatever size they give.
  if (is_declaration(node) && kind_of(form.data()) != BTF_KIND_FWD) form = {form[0], 0, 0};
  shapes_.push_back((is_object(form.data()) ? shapes.add(form) : shapes.intern(form)) - 1);
}

uint32_t InstanceGraph::node_of(uint32_t unit, uint32_t type_class) {
  enter(unit_environments_[unit]);
  return find(type_class);
}

}  // namespace bpflink
