// Numbers and writes the types that are left.
#include "dedup/emit.hpp"

#include <algorithm>
#include <utility>

#include "dedup/canonicalize.hpp"
#include "dedup/zeroed_array.hpp"

namespace bpflink {

namespace {

/// What a type is in the end, as a number: of an untainted type the class that
/// represents it; of a tainted one its color, counted from the last class on.
using Key = uint32_t;

class Emitter {
 public:
  Emitter(const Identity& identity, const Btf* base)
      : identity_(identity),
        table_(identity.table),
        ids_(size_t{table_.class_count()} + identity.graph.nodes().size()),
        class_ids_(table_.class_count()),
        strings_(table_.strings().bytes().size()),
        color_nodes_(identity.graph.nodes().size(), InstanceGraph::no_node),
        result_{BtfBuilder(base), {}},
        next_id_(result_.types.end_id()) {
    choose_color_nodes();
  }

  DedupResult run(std::vector<Unit>& units) {
    number_base(units[0]);
    for (uint32_t unit = 1; unit < units.size(); ++unit) number(units[unit], unit);
    for (Key key : order_) write(key);
    return std::move(result_);
  }

 private:
  void choose_color_nodes();
  Key key_of(uint32_t unit, uint32_t type_class);
  Key key_of_node(uint32_t node) const {
    return table_.class_count() + identity_.coloring.colors[node];
  }
  Key key_of_untainted(Reference reference) const;
  void number_base(const Unit& base);
  uint32_t id_of(uint32_t unit, uint32_t type_class);
  void number(Unit& unit, uint32_t index);
  uint32_t string(uint32_t offset);
  void write(Key key);

  const Identity& identity_;
  const TypeTable& table_;
  std::vector<uint32_t> ids_;          ///< by key
  std::vector<uint32_t> class_ids_;    ///< by class, if not tainted
  ZeroedWords strings_;                ///< the output's offset by the table's
  std::vector<uint32_t> color_nodes_;  ///< by color: a node that has it
  std::vector<Key> order_;
  DedupResult result_;
  uint32_t next_id_;
  std::vector<uint32_t> words_;
};

/// Chooses the node whose words stand for a color: a definition if there is
/// one, and of forward declarations, which may differ in size, the least, as
/// whichever comes first would depend on the order of inputs.
void Emitter::choose_color_nodes() {
  const InstanceGraph& graph = identity_.graph;
  auto is_better = [&](uint32_t node, uint32_t than) {
    bool is_declaration = graph.is_declaration(node);
    if (is_declaration != graph.is_declaration(than)) return !is_declaration;
    return is_declaration &&
           std::ranges::lexicographical_compare(graph.words(node), graph.words(than));
  };
  for (uint32_t node = 0; node < graph.nodes().size(); ++node) {
    uint32_t& chosen = color_nodes_[identity_.coloring.colors[node]];
    if (chosen == InstanceGraph::no_node || is_better(node, chosen)) chosen = node;
  }
}

Key Emitter::key_of_untainted(Reference reference) const {
  if (reference & anchor_bit) return identity_.representatives[reference & ~anchor_bit];
  uint32_t anchor = table_.anchor_of(reference);
  return anchor != 0 ? identity_.representatives[anchor] : reference;
}

Key Emitter::key_of(uint32_t unit, uint32_t type_class) {
  return identity_.taint.of_class(type_class)
             ? key_of_node(identity_.graph.node_of(unit, type_class))
             : key_of_untainted(type_class);
}

/// Types of the base keep their ids; of several equal ones the first is used.
void Emitter::number_base(const Unit& base) {
  for (uint32_t i = 0; i < base.classes.size(); ++i) {
    uint32_t& id = ids_[key_of(0, base.classes[i])];
    if (id == 0) id = base.first_id + i;
  }
}

/// The id of the types of a class in a unit.
uint32_t Emitter::id_of(uint32_t unit, uint32_t type_class) {
  if (type_class == omitted_class) return 0;
  Key key = key_of(unit, type_class);
  if (ids_[key] == 0) {
    ids_[key] = next_id_++;
    order_.push_back(key);
  }
  // What a tainted class means depends on the unit.
  if (!identity_.taint.of_class(type_class)) class_ids_[type_class] = ids_[key];
  return ids_[key];
}

void Emitter::number(Unit& unit, uint32_t index) {
  for (uint32_t& type_class : unit.classes) {
    uint32_t id = type_class < class_ids_.size() ? class_ids_[type_class] : 0;
    type_class = id != 0 ? id : id_of(index, type_class);
  }
  result_.type_maps.emplace_back(unit.first_id, std::move(unit.classes));
}

/// The output's offset of a string of the table.
uint32_t Emitter::string(uint32_t offset) {
  if (offset == 0) return 0;
  uint32_t& known = strings_[offset];
  if (known == 0) known = result_.types.add_string(table_.strings().at(offset));
  return known;
}

void Emitter::write(Key key) {
  bool is_tainted = key >= table_.class_count();
  uint32_t node = is_tainted ? color_nodes_[key - table_.class_count()] : 0;
  std::span<const uint32_t> form = is_tainted ? identity_.graph.words(node) : table_.words(key);
  words_.assign(form.begin(), form.end());
  for_each_string(std::span(words_), [&](uint32_t& offset) { offset = string(offset); });
  const uint32_t* child = nullptr;
  if (is_tainted) {
    const Adjacency& references = identity_.coloring.references;
    child = references.children.data() + references.starts[node];
  }
  for_each_reference(std::span(words_), [&](uint32_t& reference) {
    bool is_node = is_tainted && identity_.taint.of(reference);
    reference = ids_[is_node ? key_of_node(*child++) : key_of_untainted(reference)];
  });
  result_.types.add_type(words_);
}

}  // namespace

DedupResult emit(const Identity& identity, std::vector<Unit>& units, const Btf* base) {
  return Emitter(identity, base).run(units);
}

}  // namespace bpflink
