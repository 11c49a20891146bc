// Builds the graph of the tainted types.
//
// A class and what the ambiguous names that it can reach mean together say which
// type it is: what it refers to by the name of an anchor is what the part has
// under that name. A part has no more than one definition of a name, unless its
// types are in local classes, which do not refer by name. So the types of
// thousands of units that agree make one node each, and units need to agree only
// on what a type can reach. (environments.cpp)
//
// A declaration is the same node as the definition of its name in the same
// environment, even if that is in another part: there is one definition that it
// may mean, and parts that agree on all ambiguous names that this can reach agree
// on what it means. That must be one that is there; a struct with members from
// here and from there, which no part has, is not made up. So the definitions of
// all parts get their nodes before the declarations.
#include "dedup/ambiguity/instances.hpp"

#include <algorithm>

#include "dedup/classes/canonicalize.hpp"

namespace bpflink {

InstanceGraph::InstanceGraph(const TypeTable& table, const Taint& taint, std::vector<Unit>& units)
    : table_(table), taint_(taint) {
  if (taint.is_empty()) return;
  here_ = {std::vector<uint32_t>(table.class_count(), no_node),
           std::vector<uint32_t>(table.anchor_count(), no_node)};
  everywhere_ = here_;
  list_parts(units);
  add_nodes(!units[0].classes.empty());
  share_nodes();
  connect(units);
  add_shapes();
}

/// Lists the tainted classes of each part, each once.
void InstanceGraph::list_parts(std::vector<Unit>& units) {
  std::vector<uint32_t> last_part(table_.class_count(), no_node);
  for (Unit& unit : units) {
    for (size_t i = 0, next = 0; i < unit.parts.size(); ++i) {
      uint32_t part = parts_.node_count();
      owners_.push_back(unit.parts.size() == 1 ? part : no_owner);
      for (; next < unit.tainted.size() && unit.tainted[next] < unit.part_end(i); ++next) {
        uint32_t c = unit.classes[unit.tainted[next]];
        if (last_part[c] == part) continue;
        last_part[c] = part;
        parts_.children.push_back(c);
      }
      parts_.starts.push_back(static_cast<uint32_t>(parts_.children.size()));
    }
  }
  part_nodes_.resize(parts_.children.size());
}

void InstanceGraph::add_nodes(bool has_base) {
  Environments environments(table_, taint_, parts_, has_base);
  first_nodes_.push_back(0);
  add_base();
  for (uint32_t part = 1; part < parts_.node_count(); ++part) {
    first_nodes_.push_back(static_cast<uint32_t>(nodes_.size()));
    add_part(part, environments);
  }
  first_nodes_.push_back(static_cast<uint32_t>(nodes_.size()));
  add_declarations();
}

/// Nodes of the base are never those of other parts, as it must not change.
void InstanceGraph::add_base() {
  for (uint32_t c : parts_.of(base)) {
    part_nodes_[nodes_.size()] = static_cast<uint32_t>(nodes_.size());
    keys_.emplace_back();
    nodes_.push_back({c, base});
  }
}

void InstanceGraph::add_part(uint32_t part, Environments& environments) {
  environments.enter(part);
  for (size_t entry = parts_.starts[part]; entry < parts_.starts[part + 1]; ++entry) {
    uint32_t c = parts_.children[entry];
    uint32_t environment = environments.of(c);
    uint32_t anchor = table_.anchor_of(c);
    bool is_local = table_.reference_to(c) == c;
    if (anchor != 0 && !is_local && !table_.is_definition(c)) {
      pending_.push_back({entry, environment, environments.definition(anchor)});
      continue;
    }
    Key key{c, environment};
    uint32_t node = find(key);
    if (node == no_node) node = add(key, {c, is_local ? owners_[part] : no_owner});
    part_nodes_[entry] = node;
  }
}

void InstanceGraph::add_declarations() {
  declaring_parts_.resize(nodes_.size());
  for (const Pending& declaration : pending_) add_declaration(declaration);
  pending_ = {};
}

void InstanceGraph::add_declaration(const Pending& declaration) {
  uint32_t c = parts_.children[declaration.entry];
  uint32_t& node = part_nodes_[declaration.entry];
  node = declaration.definition != 0 ? find({declaration.definition, declaration.environment})
                                     : no_node;
  if (node != no_node) {
    ++declaring_parts_[node];
    return;
  }
  Key key{table_.reference_to(c), declaration.environment};
  node = find(key);
  if (node == no_node) {
    node = add(key, {c, no_owner});
    declaring_parts_.push_back(0);
  }
  // Declarations of an enum may differ in size. The least stands for all, as the
  // first would depend on the order of inputs.
  uint32_t& chosen = nodes_[node].type_class;
  if (std::ranges::lexicographical_compare(table_.words(c), table_.words(chosen))) chosen = c;
}

uint32_t InstanceGraph::find(Key key) const {
  uint32_t hash = hash_bytes(&key, sizeof key);
  uint32_t found = index_.find(hash, [&](uint32_t number) { return keys_[number - 1] == key; });
  return found != 0 ? found - 1 : no_node;
}

/// Adds a node that find() did not find.
uint32_t InstanceGraph::add(Key key, Instance instance) {
  auto node = static_cast<uint32_t>(nodes_.size());
  keys_.push_back(key);
  nodes_.push_back(instance);
  index_.insert(hash_bytes(&key, sizeof key), node + 1);
  return node;
}

/// A DATASEC may be in another part than its variables, which are only once
/// there.
void InstanceGraph::share_nodes() {
  for (size_t entry = 0; entry < part_nodes_.size(); ++entry) {
    uint32_t c = parts_.children[entry];
    if (is_object(table_.words(c).data())) everywhere_.class_nodes[c] = part_nodes_[entry];
  }
  enter(base, everywhere_);
}

/// Makes the nodes of a part those that references lead to.
void InstanceGraph::enter(uint32_t part, Lookup& lookup) const {
  for (uint32_t entry = parts_.starts[part]; entry < parts_.starts[part + 1]; ++entry) {
    uint32_t c = parts_.children[entry];
    lookup.class_nodes[c] = part_nodes_[entry];
    // Where there are several, they are of a local class, and not found by name.
    lookup.anchor_nodes[table_.anchor_of(c)] = part_nodes_[entry];
  }
}

void InstanceGraph::leave(uint32_t part) {
  for (uint32_t c : parts_.of(part)) {
    here_.class_nodes[c] = no_node;
    here_.anchor_nodes[table_.anchor_of(c)] = no_node;
  }
}

/// The node that a tainted reference means in the part at hand; what it does not
/// have is common to all.
uint32_t InstanceGraph::node_of_reference(Reference reference) const {
  auto look_up = [&](const Lookup& lookup) {
    return reference & anchor_bit ? lookup.anchor_nodes[reference & ~anchor_bit]
                                  : lookup.class_nodes[reference];
  };
  uint32_t node = look_up(here_);
  return node != no_node ? node : look_up(everywhere_);
}

void InstanceGraph::count_references() {
  references_.starts.assign(nodes_.size() + 1, 0);
  for (uint32_t node = 0; node < nodes_.size(); ++node) {
    uint32_t count = 0;
    for_each_reference(words(node), [&](Reference r) { count += taint_.of(r); });
    references_.starts[node + 1] = references_.starts[node] + count;
  }
  references_.children.resize(references_.starts.back());
}

/// Fills in the nodes' references, each from the part that added it, and puts
/// nodes in the place of classes.
void InstanceGraph::connect(std::vector<Unit>& units) {
  count_references();
  uint32_t part = 0;
  for (Unit& unit : units) {
    for (size_t i = 0, next = 0; i < unit.parts.size(); ++i, ++part) {
      enter(part, here_);
      for (uint32_t node = first_nodes_[part]; node < first_nodes_[part + 1]; ++node) {
        uint32_t* reference = references_.children.data() + references_.starts[node];
        for_each_reference(words(node), [&](Reference r) {
          if (taint_.of(r)) *reference++ = node_of_reference(r);
        });
      }
      for (; next < unit.tainted.size() && unit.tainted[next] < unit.part_end(i); ++next) {
        uint32_t& c = unit.classes[unit.tainted[next]];
        c = table_.class_count() + here_.class_nodes[c];
      }
      leave(part);
    }
  }
}

void InstanceGraph::add_shapes() {
  TypeTable shapes;
  std::vector<uint32_t> form;
  shapes_.reserve(nodes_.size());
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

}  // namespace bpflink
