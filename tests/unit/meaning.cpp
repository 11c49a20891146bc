// The steps are those of section 5.1, in order. A node is a type of an input, or of the base, which
// is input 0; the base's types come first.
#include "meaning.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace bpflink::test {

namespace {

constexpr uint8_t PTR = 2, FUNC_PROTO = 13, VAR = 14, DATASEC = 15;
constexpr int nothing = -1;

using Signature = std::vector<int>;
/// For each node: equal numbers for equal types, as far as known.
using Colors = std::vector<int>;

/// Numbers for signatures; equal signatures have the same number.
class Numbers {
 public:
  int of(const Signature& signature) {
    return numbers_.emplace(signature, static_cast<int>(numbers_.size())).first->second;
  }
  size_t size() const { return numbers_.size(); }

 private:
  std::map<Signature, int> numbers_;
};

struct Node {
  const PlainType* type = nullptr;
  int input = 0;
  uint32_t id = 0;
  int tag = nothing;
  /// Nodes, or `nothing` for void.
  std::vector<int> children{};
};

struct Declaration {
  int node = 0;
  /// Sets of definitions to which it may resolve, in the order in which they are tried
  std::vector<std::vector<int>> candidates{};
  size_t rule = 0;  ///< which of them that is
};

class Finder {
 public:
  Finder(const std::vector<PlainInput>& inputs, const PlainBtf* base)
      : input_count_(static_cast<int>(inputs.size()) + 1) {
    if (base) {
      result_.first_id = base->end_id();
      add_nodes(0, 1, *base, {});
    }
    base_end_ = count();
    for (const PlainInput& input : inputs) {
      result_.images.emplace_back(input.btf.end_id());
      int number = static_cast<int>(result_.images.size());
      add_nodes(number, result_.first_id, input.btf, input.omit);
    }
  }

  Meaning run() {
    find_keys();
    find_tags_in_keys();
    find_ambiguous_tags();
    find_reach();
    find_units();
    find_definitions_by_unit();
    resolve();
    write_output();
    find_containment();
    return std::move(result_);
  }

 private:
  void add_nodes(int input, uint32_t first_id, const PlainBtf& btf, const std::vector<bool>& omit) {
    node_of_id_.resize(first_id, nothing);
    node_of_id_.resize(btf.end_id(), nothing);
    int first = count();
    for (uint32_t id = first_id; id < btf.end_id(); ++id) {
      if (!omit.empty() && omit[id]) continue;
      node_of_id_[id] = count();
      nodes_.push_back({&btf.types[id], input, id, tag_of(btf.types[id])});
    }
    for (int v = first; v < count(); ++v)
      for (uint32_t reference : nodes_[v].type->references)
        nodes_[v].children.push_back(reference == 0 ? nothing : node_of_id_[reference]);
  }

  int tag_of(const PlainType& type) {
    if (type.space == TagSpace::None) return nothing;
    return tags_.of({static_cast<int>(type.space), static_cast<int>(type.name)});
  }

  int count() const { return static_cast<int>(nodes_.size()); }
  bool is_definition(int v) const {
    return nodes_[v].tag != nothing && !nodes_[v].type->is_declaration;
  }

  // The words that make two types differ, without references. A declaration's words say that it
  // declares its tag.
  Signature words(int v) const {
    const Node& node = nodes_[v];
    if (node.type->is_declaration && node.tag != nothing) return {nothing, node.tag};
    return {node.type->words.begin(), node.type->words.end()};
  }

  /// Splits colors by the children's colors until nothing changes.
  template <typename ColorOfChild, typename Spread>
  void refine(Colors& colors, ColorOfChild color_of_child, Spread spread) const {
    spread(colors);
    for (size_t known = 0;;) {
      Numbers numbers;
      Colors next(nodes_.size());
      for (int v = 0; v < count(); ++v) {
        Signature signature{colors[v]};
        for (int child : nodes_[v].children)
          signature.push_back(child == nothing ? nothing : color_of_child(colors, child));
        next[v] = numbers.of(signature);
      }
      colors = std::move(next);
      spread(colors);
      size_t colors_now = std::set<int>(colors.begin(), colors.end()).size();
      if (colors_now == known) return;
      known = colors_now;
    }
  }

  // Canonical keys: references to tags by name, everything else written out. A cycle without tags
  // would be written without end, so this computes keys by refinement: the coarsest coloring that
  // separates types that are written differently.
  void find_keys() {
    Numbers numbers;
    keys_.resize(nodes_.size());
    for (int v = 0; v < count(); ++v) keys_[v] = numbers.of(words(v));
    refine(
        keys_,
        [&](const Colors& colors, int child) {
          int tag = nodes_[child].tag;
          return tag != nothing ? -2 - tag : colors[child];
        },
        [](Colors&) {});
  }

  // The tags in a type's key. A declaration's own tag is one.
  void find_tags_in_keys() {
    named_.resize(nodes_.size());
    for (int v = 0; v < count(); ++v)
      if (nodes_[v].type->is_declaration && nodes_[v].tag != nothing)
        named_[v].insert(nodes_[v].tag);
    for (bool is_growing = true; is_growing;) {
      is_growing = false;
      for (int v = 0; v < count(); ++v) {
        size_t before = named_[v].size();
        for (int child : nodes_[v].children) {
          if (child == nothing) continue;
          if (nodes_[child].tag != nothing)
            named_[v].insert(nodes_[child].tag);
          else if (child != v)
            named_[v].insert(named_[child].begin(), named_[child].end());
        }
        is_growing |= named_[v].size() != before;
      }
    }
  }

  void find_ambiguous_tags() {
    definitions_.resize(tags_.size());
    for (int v = 0; v < count(); ++v)
      if (is_definition(v)) definitions_[nodes_[v].tag].push_back(v);
    is_ambiguous_.resize(tags_.size());
    for (size_t tag = 0; tag < tags_.size(); ++tag)
      is_ambiguous_[tag] = !all_have_one(keys_, definitions_[tag]);
  }

  static bool all_have_one(const Colors& colors, const std::vector<int>& nodes) {
    return std::ranges::all_of(nodes, [&](int v) { return colors[v] == colors[nodes[0]]; });
  }

  // For each tag: the ambiguous tags that its definitions can reach, possibly itself
  void find_reach() {
    for (size_t tag = 0; tag < tags_.size(); ++tag) {
      std::set<int> seen{static_cast<int>(tag)};
      std::vector<int> work{static_cast<int>(tag)};
      while (!work.empty()) {
        int from = work.back();
        work.pop_back();
        for (int definition : definitions_[from])
          for (int to : named_[definition])
            if (seen.insert(to).second) work.push_back(to);
      }
      std::erase_if(seen, [&](int t) { return !is_ambiguous_[t]; });
      reach_.push_back(std::move(seen));
    }
  }

  bool is_tainted(int v) const {
    auto reaches = [&](int tag) { return !reach_[tag].empty(); };
    return (nodes_[v].tag != nothing && reaches(nodes_[v].tag)) ||
           std::ranges::any_of(named_[v], reaches);
  }

  /// For each type: whether it is an object, which equals only itself, or refers to one, except
  /// by name
  std::vector<bool> find_what_has_objects() const {
    std::vector<bool> has_object(count());
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (int v = 0; v < count(); ++v) {
        if (has_object[v]) continue;
        bool is_object = nodes_[v].type->kind == VAR || nodes_[v].type->kind == DATASEC;
        has_object[v] = is_object || std::ranges::any_of(nodes_[v].children, [&](int child) {
                          return child >= 0 && nodes_[child].tag == nothing && has_object[child];
                        });
        has_changed |= has_object[v];
      }
    }
    return has_object;
  }

  // An input is a unit. If it has an untainted type twice, other than objects, it was joined from
  // several units, and is cut into its connected components. Types that can reach no tag do not
  // connect, nor does a DATASEC.
  void find_units() {
    std::vector<bool> is_cut(input_count_);
    std::set<std::pair<int, int>> seen;
    std::vector<bool> has_object = find_what_has_objects();
    for (int v = base_end_; v < count(); ++v)
      if (!has_object[v] && !is_tainted(v) && !seen.emplace(nodes_[v].input, keys_[v]).second)
        is_cut[nodes_[v].input] = true;

    std::vector<int> first_of_input(input_count_, nothing);
    for (int v = 0; v < count(); ++v) {
      int& first = first_of_input[nodes_[v].input];
      if (first == nothing) first = v;
      units_.push_back(is_cut[nodes_[v].input] ? v : first);
    }
    for (int v = base_end_; v < count(); ++v) {
      if (!is_cut[nodes_[v].input] || nodes_[v].type->kind == DATASEC) continue;
      for (int child : nodes_[v].children)
        if (child >= base_end_ && (nodes_[child].tag != nothing || !named_[child].empty()))
          units_[find_unit(v)] = find_unit(child);
    }
    for (int v = 0; v < count(); ++v) units_[v] = find_unit(v);
  }

  int find_unit(int v) const {
    while (units_[v] != v) v = units_[v];
    return v;
  }

  void find_definitions_by_unit() {
    for (size_t tag = 0; tag < tags_.size(); ++tag)
      if (is_ambiguous_[tag])
        for (int v : definitions_[tag])
          defined_[{units_[v], static_cast<int>(tag)}].insert(keys_[v]);
  }

  // The meaning of an ambiguous tag in a unit: the key of its definition; that it is only declared;
  // or one of several definitions, which no other unit means.
  std::pair<int, int> find_tag_meaning(int unit, int tag) const {
    auto found = defined_.find({unit, tag});
    if (found == defined_.end()) return {0, 0};
    if (found->second.size() == 1) return {1, *found->second.begin()};
    return {2, unit};
  }

  bool agree(int unit, int other, int tag) const {
    return std::ranges::all_of(reach_[tag], [&](int reached) {
      return find_tag_meaning(unit, reached) == find_tag_meaning(other, reached);
    });
  }

  // The sets of definitions to which a declaration may resolve, by rules R1 to R3
  std::vector<std::vector<int>> find_candidates(int v) const {
    int tag = nodes_[v].tag;
    if (tag == nothing) return {};
    const std::vector<int>& all = definitions_[tag];
    std::vector<std::vector<int>> sets(1);
    for (int d : all)
      if (nodes_[d].input == 0 || nodes_[d].input == nodes_[v].input) sets[0].push_back(d);
    if (!is_ambiguous_[tag]) {
      sets.emplace_back();
      for (int d : all)
        if (agree(units_[v], units_[d], tag)) sets[1].push_back(d);
      sets.push_back(all);
    }
    for (std::vector<int>& set : sets)
      if (!set.empty() && !all_have_one(keys_, set)) set.clear();
    return sets;
  }

  // The greatest fixed point: starts with all types that may be equal, and separates those that are
  // not. A later rule applies only as far as the earlier ones hold.
  void resolve() {
    std::vector<Declaration> declarations;
    for (int v = base_end_; v < count(); ++v)
      if (nodes_[v].type->is_declaration) declarations.push_back({v, find_candidates(v)});
    for (bool is_settled = false; !is_settled;) {
      for (Declaration& d : declarations)
        while (d.rule < d.candidates.size() && d.candidates[d.rule].empty()) ++d.rule;
      std::erase_if(declarations,
                    [](const Declaration& d) { return d.rule == d.candidates.size(); });
      targets_.resize(nodes_.size());
      for (int v = 0; v < count(); ++v) targets_[v] = v;
      for (const Declaration& d : declarations) targets_[d.node] = d.candidates[d.rule][0];
      find_colors();
      auto is_wrong = [&](const Declaration& d) {
        return !all_have_one(colors_, d.candidates[d.rule]);
      };
      size_t first_rule = SIZE_MAX;
      for (const Declaration& d : declarations)
        if (is_wrong(d)) first_rule = std::min(first_rule, d.rule);
      is_settled = first_rule == SIZE_MAX;
      for (Declaration& d : declarations)
        if (d.rule == first_rule && is_wrong(d)) ++d.rule;
    }
  }

  // Colors types: equal if the types are equal with declarations resolved as they are now.
  void find_colors() {
    Numbers numbers;
    colors_.resize(nodes_.size());
    for (int v = 0; v < count(); ++v) {
      Signature signature = words(v);
      uint8_t kind = nodes_[v].type->kind;
      // These equal only themselves.
      if (kind == VAR || kind == DATASEC) signature.insert(signature.end(), {nothing, v});
      colors_[v] = numbers.of(signature);
    }
    refine(
        colors_, [](const Colors& colors, int child) { return colors[child]; },
        [&](Colors& colors) {
          for (int v = 0; v < count(); ++v) colors[v] = colors[targets_[v]];
        });
  }

  // The base unchanged, then each class once, in order of first occurrence
  void write_output() {
    std::map<int, uint32_t> ids;
    result_.twins.resize(result_.first_id);
    for (int v = 0; v < base_end_; ++v)
      result_.twins[nodes_[v].id] = ids.emplace(colors_[v], nodes_[v].id).first->second;
    for (std::vector<uint32_t>& images : result_.images)
      for (uint32_t id = 0; id < result_.first_id; ++id) images[id] = id;
    for (int v = base_end_; v < count(); ++v) {
      auto [id, is_new] = ids.emplace(colors_[v], result_.end_id());
      result_.images[nodes_[v].input - 1][nodes_[v].id] = id->second;
      if (!is_new) continue;
      const Node& target = nodes_[targets_[v]];
      // A definition of the base is in `ids`, so this one is of an input.
      result_.kept.emplace_back(target.input - 1, target.id);
      kept_nodes_.push_back(targets_[v]);
    }
  }

  // Removes output types that contain only removed types, until none is left, or only types that
  // contain themselves.
  void find_containment() {
    std::vector<bool> is_sound(result_.end_id());
    std::fill(is_sound.begin(), is_sound.begin() + result_.first_id, true);
    for (bool is_growing = true; is_growing;) {
      is_growing = false;
      result_.contains_itself = false;
      for (size_t i = 0; i < kept_nodes_.size(); ++i) {
        size_t id = result_.first_id + i;
        if (is_sound[id]) continue;
        const Node& node = nodes_[kept_nodes_[i]];
        is_sound[id] = node.type->kind == PTR || node.type->kind == FUNC_PROTO ||
                       std::ranges::all_of(node.children, [&](int child) {
                         return child == nothing || child < base_end_ ||
                                is_sound[result_.images[nodes_[child].input - 1][nodes_[child].id]];
                       });
        is_growing |= is_sound[id];
        result_.contains_itself |= !is_sound[id];
      }
    }
  }

  Meaning result_;
  std::vector<Node> nodes_;
  std::vector<int> node_of_id_;
  int input_count_;   ///< the base among them
  int base_end_ = 0;  ///< one past the base's last node
  Numbers tags_;
  Colors keys_;
  std::vector<std::set<int>> named_;           ///< by node: tags
  std::vector<std::vector<int>> definitions_;  ///< by tag: nodes
  std::vector<bool> is_ambiguous_;             ///< by tag
  std::vector<std::set<int>> reach_;           ///< by tag: ambiguous tags
  std::vector<int> units_;                     ///< by node: a node of its unit
  /// By unit and ambiguous tag: the keys of the definitions there.
  std::map<std::pair<int, int>, std::set<int>> defined_;
  Colors colors_;
  std::vector<int> targets_;  ///< by node: the definition that a declaration stands for, or itself
  std::vector<int> kept_nodes_;  ///< of the output's types
};

std::string describe(const PlainBtf& btf, uint32_t id) {
  std::string text = "[" + std::to_string(id) + "]";
  if (id >= btf.end_id()) return text + ", which is not there";
  return text + " of kind " + std::to_string(btf.types[id].kind);
}

std::string compare_images(const std::vector<PlainInput>& inputs, const Meaning& meaning,
                           const std::vector<std::vector<uint32_t>>& images) {
  if (images.size() != inputs.size()) return "not as many maps as inputs";
  for (size_t n = 0; n < inputs.size(); ++n) {
    const PlainBtf& btf = inputs[n].btf;
    if (images[n].size() != btf.end_id()) return "a map of another size than its input";
    for (uint32_t id = 0; id < btf.end_id(); ++id)
      if (!meaning.is_same(images[n][id], meaning.images[n][id]))
        return "input " + std::to_string(n) + " " + describe(btf, id) + " became [" +
               std::to_string(images[n][id]) + "], not [" + std::to_string(meaning.images[n][id]) +
               "]";
  }
  return "";
}

std::string compare_types(const std::vector<PlainInput>& inputs, const Meaning& meaning,
                          const PlainBtf& output) {
  if (output.end_id() != meaning.end_id())
    return "ids up to " + std::to_string(output.end_id() - 1) + ", not " +
           std::to_string(meaning.end_id() - 1);
  for (uint32_t to = meaning.first_id; to < output.end_id(); ++to) {
    auto [n, id] = meaning.kept[to - meaning.first_id];
    const PlainType& type = inputs[n].btf.types[id];
    std::string pair = "input " + std::to_string(n) + " " + describe(inputs[n].btf, id) +
                       " in the output is " + describe(output, to);
    bool declare = type.is_declaration && output.types[to].is_declaration;  // the least of them
    if (!declare && type.words != output.types[to].words) return pair + " of other words";
    for (size_t r = 0; r < type.references.size(); ++r) {
      uint32_t actual = output.types[to].references[r];
      uint32_t expected = meaning.images[n][type.references[r]];
      if (!meaning.is_same(actual, expected))
        return pair + " and refers to " + describe(output, actual) + ", not " +
               describe(output, expected);
    }
  }
  return "";
}

}  // namespace

Meaning find_meaning(const std::vector<PlainInput>& inputs, const PlainBtf* base) {
  return Finder(inputs, base).run();
}

std::string find_fault(const std::vector<PlainInput>& inputs, const Meaning& meaning,
                       const std::vector<std::vector<uint32_t>>& images, const PlainBtf& output) {
  std::string fault = compare_images(inputs, meaning, images);
  return fault.empty() ? compare_types(inputs, meaning, output) : fault;
}

}  // namespace bpflink::test
