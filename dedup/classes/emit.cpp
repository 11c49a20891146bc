// Numbers and writes the types that are left.
#include "dedup/classes/emit.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "dedup/classes/canonicalize.hpp"
#include "dedup/classes/run_threads.hpp"

namespace bpflink {

namespace {

/// What a type is in the end, as a number: of an untainted type the class that
/// represents it; of a tainted one its color, counted from the last class on.
using Key = uint32_t;

class Emitter {
 public:
  Emitter(const Identity& identity, const DedupOptions& options)
      : identity_(identity),
        table_(identity.table),
        ids_(size_t{table_.class_count()} + identity.graph.nodes().size()),
        class_ids_(table_.class_count()),
        strings_(table_.strings().size() / 2 + 1),
        color_nodes_(identity.graph.nodes().size(), InstanceGraph::no_node),
        has_base_(options.base != nullptr),
        threads_(options.threads),
        result_{BtfBuilder(options.base), {}},
        next_id_(result_.types.end_id()) {
    choose_color_nodes();
  }

  DedupResult run(std::vector<Unit>& units) {
    number_base(units[0]);
    std::span<Unit> inputs = std::span(units).subspan(1);
    size_t largest = 0;
    for (const Unit& unit : inputs) {
      number(unit);
      largest = std::max(largest, unit.classes.size());
    }
    make_room();
    // Strings, ids and words have nothing to do with each other. There is room for all,
    // but for an index of strings, which a base needs.
    unsigned threads = has_base_ ? 1 : choose_threads(largest, threads_);
    unsigned writers = std::min(threads, 2U);
    run_threads(writers, [&](unsigned i) {
      if (i + 1 == writers) write_strings();
      if (i == 0) write_types();
    });
    translate(threads);
    make_maps(inputs);
    return std::move(result_);
  }

 private:
  void choose_color_nodes();
  Key key_of(uint32_t element) const;
  Key key_of_node(uint32_t node) const {
    return table_.class_count() + identity_.coloring.colors[node];
  }
  Key key_of_untainted(Reference reference) const;
  void number_base(const Unit& base);
  void number(uint32_t element);
  void number(const Unit& unit);
  void make_maps(std::span<Unit> units);
  void add_strings(std::span<const uint32_t> offsets);
  std::span<const uint32_t> form_of(Key key) const;
  void make_room();
  void write_strings();
  void write_types();
  void translate(unsigned threads);
  void translate(Key key, std::span<uint32_t> words) const;

  const Identity& identity_;
  const TypeTable& table_;
  std::vector<uint32_t> ids_;        ///< by key
  std::vector<uint32_t> class_ids_;  ///< by class, if no node stands for it
  /// The output's offset by half the table's: no two strings begin side by side, as
  /// only the empty one is so short.
  std::vector<uint32_t> strings_;
  std::vector<uint32_t> color_nodes_;  ///< by color: a node that has it
  std::vector<Key> order_;
  bool has_base_;
  unsigned threads_;
  DedupResult result_;
  uint32_t next_id_;
  uint32_t next_string_ = 1;  ///< the output's next offset, where there is no base
  std::string_view run_;      ///< strings of the table that are still to be added
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

/// The key of an element of a unit's classes, which may be a node.
Key Emitter::key_of(uint32_t element) const {
  uint32_t node = identity_.graph.node_of(element);
  return node != InstanceGraph::no_node ? key_of_node(node) : key_of_untainted(element);
}

/// Types of the base keep their ids; of several equal ones the first is used.
void Emitter::number_base(const Unit& base) {
  for (uint32_t i = 0; i < base.classes.size(); ++i) {
    uint32_t& id = ids_[key_of(base.classes[i])];
    if (id == 0) id = base.first_id + i;
  }
}

/// Gives the types that an element of a unit's classes stands for an id, if they
/// have none yet.
void Emitter::number(uint32_t element) {
  if (element == omitted_class || (element < class_ids_.size() && class_ids_[element] != 0)) return;
  Key key = key_of(element);
  if (ids_[key] == 0) {
    ids_[key] = next_id_++;
    order_.push_back(key);
  }
  if (element < class_ids_.size()) class_ids_[element] = ids_[key];
}

/// Numbers the types of a unit in order of first occurrence.
void Emitter::number(const Unit& unit) {
  if (!unit.has_firsts) {
    for (uint32_t element : unit.classes)
      if (element >= class_ids_.size() || class_ids_[element] == 0) number(element);
    return;
  }
  // What was tainted stands for nodes now, and may be new anywhere.
  auto number_all = [&](std::span<const uint32_t> places) {
    for (uint32_t place : places) number(unit.classes[place]);
  };
  if (unit.tainted.empty()) return number_all(unit.firsts);
  std::vector<uint32_t> places(unit.firsts.size() + unit.tainted.size());
  std::ranges::merge(unit.firsts, unit.tainted, places.begin());
  number_all(places);
}

/// Makes maps of the units' classes, which lead to the ids of what they stand for.
void Emitter::make_maps(std::span<Unit> units) {
  for (uint32_t node = 0; node < identity_.graph.nodes().size(); ++node)
    class_ids_.push_back(ids_[key_of_node(node)]);
  auto ids = std::make_shared<const std::vector<uint32_t>>(std::move(class_ids_));
  result_.type_maps.reserve(units.size());
  for (Unit& unit : units)
    result_.type_maps.emplace_back(unit.first_id, std::move(unit.classes), ids);
}

std::span<const uint32_t> Emitter::form_of(Key key) const {
  if (key < table_.class_count()) return table_.words(key);
  return identity_.graph.words(color_nodes_[key - table_.class_count()]);
}

void Emitter::make_room() {
  size_t words = 0;
  for (Key key : order_) words += form_of(key).size();
  // Who adds some types more would otherwise have all moved.
  auto with_more = [](size_t size) { return size + size / 4; };
  reserve(result_.types, with_more(order_.size()), with_more(words),
          with_more(table_.strings().size()));
}

/// Adds the types' strings in order of first occurrence: some at a time, for the memory
/// to bring all of them at once.
void Emitter::write_strings() {
  std::vector<bool> is_listed(strings_.size());
  std::array<uint32_t, 64> some;
  size_t count = 0;
  for (Key key : order_) {
    for_each_string(form_of(key), [&](uint32_t offset) {
      if (offset == 0 || is_listed[offset / 2]) return;
      is_listed[offset / 2] = true;
      __builtin_prefetch(table_.strings().text(offset));
      __builtin_prefetch(&strings_[offset / 2], 1);
      some[count++] = offset;
      if (count == some.size()) add_strings(some);
      count %= some.size();
    });
  }
  add_strings(std::span(some).first(count));
  add_new_strings(result_.types, run_);
}

/// Adds strings of the table, which has none twice. Those that follow one another there are
/// copied together, and most do.
void Emitter::add_strings(std::span<const uint32_t> offsets) {
  for (uint32_t offset : offsets) {
    std::string_view text = table_.strings().at(offset);
    if (has_base_) {
      strings_[offset / 2] = result_.types.add_string(text);
      continue;
    }
    if (text.data() != run_.data() + run_.size()) {
      add_new_strings(result_.types, run_);
      run_ = text.substr(0, 0);
    }
    run_ = {run_.data(), run_.size() + text.size() + 1};
    strings_[offset / 2] = next_string_;
    next_string_ += static_cast<uint32_t>(text.size()) + 1;
  }
}

/// Adds the types, as they are in the table.
void Emitter::write_types() {
  for (Key key : order_) result_.types.add_type(form_of(key));
}

/// Translates the types that were added.
void Emitter::translate(unsigned threads) {
  uint32_t first_id = result_.types.end_id() - static_cast<uint32_t>(order_.size());
  run_threads(threads, [&](unsigned i) {
    size_t begin = order_.size() / threads * i;
    size_t end = i + 1 == threads ? order_.size() : begin + order_.size() / threads;
    for (; begin < end; ++begin)
      translate(order_[begin],
                result_.types.mutable_words(first_id + static_cast<uint32_t>(begin)));
  });
}

/// Puts the output's string offsets and type ids in the place of the table's.
void Emitter::translate(Key key, std::span<uint32_t> words) const {
  for_each_string(words, [&](uint32_t& offset) {
    if (offset != 0) offset = strings_[offset / 2];
  });
  if (key < table_.class_count()) {
    for_each_reference(words,
                       [&](uint32_t& reference) { reference = ids_[key_of_untainted(reference)]; });
    return;
  }
  const Adjacency& references = identity_.coloring.references;
  uint32_t node = color_nodes_[key - table_.class_count()];
  const uint32_t* child = references.children.data() + references.starts[node];
  for_each_reference(words, [&](uint32_t& reference) {
    bool is_node = identity_.taint.of(reference);
    reference = ids_[is_node ? key_of_node(*child++) : key_of_untainted(reference)];
  });
}

}  // namespace

DedupResult emit(const Identity& identity, std::vector<Unit>& units, const DedupOptions& options) {
  return Emitter(identity, options).run(units);
}

}  // namespace bpflink
