// Decides which definition each forward declaration resolves to, by the rules R1, R2 and R3 of
// dedup.cpp.
//
// A declaration resolves if the candidates of a rule are equal. Whether they are depends on how the
// declarations that they reach resolve, and these may even reach the first declaration. So the
// result is a greatest fixed point. At first, each declaration resolves to the candidates of its
// first rule that has any, as if these were all equal. Under this assumption, refinement finds the
// types that differ. If the candidates of a declaration turn out to differ, the assumption was
// wrong: the declaration moves on to its next rule, and refinement starts anew. When no assumption
// is wrong any more, the types of one color are equal.
//
// A wrong assumption can make types differ that are equal without it. So in each round only the
// declarations with a wrong assumption of the earliest rule move on, all of them together. A later
// rule is given up only when all assumptions of earlier rules hold.
//
// For a kernel's modules, structs and unions of inputs first become in each round those of the base
// that leave open what an input says (find_in_base()).
#include <algorithm>

#include "dedup/merge/tainted_graph.hpp"
#include "dedup/messages.hpp"

namespace bpflink {

namespace {

constexpr uint32_t none = Candidates::none;
/// A kernel in which task_struct is ambiguous takes 7 rounds. So many are always allowed.
constexpr uint32_t free_rounds = 100;
/// For more rounds: nodes and edges visited in all of them. This takes half a second.
constexpr uint64_t max_visits = 1 << 25;

class DeclarationResolver {
 public:
  DeclarationResolver(const ClassTable& table, const TaintedGraph& types)
      : table_(table), types_(types), rules_(types.declarations.size()) {
    common_classes_ = find_common(types.classes);
    find_open();
    for (uint32_t i = 0; i < rules_.size(); ++i) skip_rules(i);
  }

  std::expected<std::vector<uint32_t>, Error> run() {
    const uint64_t visits = types_.references.size() + types_.references.targets.size();
    uint64_t round = 0;
    do {
      ++round;
      if (round > free_rounds && round * visits > max_visits)
        return fail(
            "{} forward declarations depend on each other's definitions in more than {} steps",
            rules_.size(), round);
      find_targets();
      if (is_any_open_) find_in_base();
      colors_ = refine(redirected(), first_colors());
      for (uint32_t node = 0; node < colors_.size(); ++node)
        colors_[node] = colors_[targets_[node]];
    } while (retract_wrong());
    return std::move(colors_);
  }

 private:
  /// Moves a declaration on to its first rule, from the current one on, whose candidates are of one
  /// class.
  void skip_rules(uint32_t i) {
    while (assumed(i) != nullptr && !agree(*assumed(i), common_classes_)) ++rules_[i];
  }

  void find_open() {
    if (!table_.is_for_kernel) return;
    is_open_.resize(table_.anchor_count());
    for (const Declaration& declaration : types_.declarations)
      if (declaration.node < types_.nodes_of_base) is_open_[declaration.anchor] = true;
    for (uint32_t node = 0; node < types_.nodes_of_base; ++node)
      if (table_.is_definition(types_.classes[node]))
        is_open_[table_.anchor_of(types_.classes[node])] = false;
    is_any_open_ = std::ranges::count(is_open_, true) != 0;
  }

  bool is_open(uint32_t node) const { return is_open_[table_.anchor_of(types_.classes[node])]; }

  void find_targets() {
    targets_.resize(types_.classes.size());
    for (uint32_t node = 0; node < targets_.size(); ++node) targets_[node] = node;
    for (uint32_t i = 0; i < rules_.size(); ++i)
      if (const Candidates* c = assumed(i))
        targets_[types_.declarations[i].node] =
            types_.candidates.edges(c->of_base != none ? c->of_base : c->others).front();
  }

  /// Lets a struct or union of an input stand for the one of the base that is equal if the tags
  /// that the base only declares are only declared everywhere.
  void find_in_base() {
    Graph declared;
    for (uint32_t node = 0; node < targets_.size(); ++node) {
      if (!is_open(node))
        for (uint32_t child : types_.references.edges(node))
          declared.targets.push_back(targets_[child]);
      declared.end_node();
    }
    std::vector<uint32_t> colors = refine(declared, first_colors(true));
    std::vector<uint32_t> of_base(*std::ranges::max_element(colors) + 1, none);  // nodes, by color
    for (uint32_t node = 0; node < targets_.size(); ++node) {
      BtfKind kind = kind_of(table_.words(types_.classes[node]).data());
      if ((kind != BtfKind::Struct && kind != BtfKind::Union) || is_open(node)) continue;
      uint32_t& same = of_base[colors[node]];
      if (node >= types_.nodes_of_base && same != none)
        targets_[node] = same;
      else if (node < types_.nodes_of_base && same == none)
        same = node;
    }
    for (uint32_t& target : targets_) target = targets_[target];
  }

  /// The references, with declarations replaced by what they resolve to.
  Graph redirected() const {
    Graph references = types_.references;
    for (uint32_t& child : references.targets) child = targets_[child];
    return references;
  }

  /// Colors definitions and other types by class, and declarations by tag; also by tag, if wanted,
  /// the definitions of tags that the base only declares.
  std::vector<uint32_t> first_colors(bool are_open_declared = false) const {
    std::vector<uint32_t> numbers(size_t{table_.class_count()} + table_.anchor_count(), none);
    std::vector<uint32_t> colors;
    uint32_t count = 0;
    for (uint32_t node = 0; node < types_.classes.size(); ++node) {
      uint32_t c = types_.classes[node];
      bool is_declared = table_.is_forward(c) || (are_open_declared && is_open(node));
      uint32_t& number = numbers[is_declared ? table_.class_count() + table_.anchor_of(c) : c];
      if (number == none) number = count++;
      colors.push_back(number);
    }
    return colors;
  }

  /// Retracts the wrong assumptions of the earliest rule that has any. Returns whether there were
  /// any.
  bool retract_wrong() {
    std::vector<uint32_t> common = find_common(colors_);
    std::vector<uint32_t> wrong;
    uint8_t first_rule = UINT8_MAX;
    for (uint32_t i = 0; i < rules_.size(); ++i) {
      if (assumed(i) == nullptr || agree(*assumed(i), common)) continue;
      if (rules_[i] < first_rule) wrong.clear();
      first_rule = std::min(first_rule, rules_[i]);
      if (rules_[i] == first_rule) wrong.push_back(i);
    }
    for (uint32_t i : wrong) {
      ++rules_[i];
      skip_rules(i);
    }
    return !wrong.empty();
  }

  /// By list of candidates: the color that all of them have, or none. `colors`, by node, are colors
  /// or classes.
  std::vector<uint32_t> find_common(const std::vector<uint32_t>& colors) const {
    std::vector<uint32_t> common;
    for (uint32_t list = 0; list < types_.candidates.size(); ++list) {
      std::span<const uint32_t> nodes = types_.candidates.edges(list);
      uint32_t color = colors[nodes.front()];
      bool is_common =
          std::ranges::all_of(nodes, [&](uint32_t node) { return colors[node] == color; });
      common.push_back(is_common ? color : none);
    }
    return common;
  }

  /// Whether there are candidates, all of one color. `common` is that of find_common().
  static bool agree(const Candidates& candidates, const std::vector<uint32_t>& common) {
    if (candidates.of_base == none && candidates.others == none) return false;
    uint32_t color = common[candidates.others != none ? candidates.others : candidates.of_base];
    return color != none && (candidates.of_base == none || common[candidates.of_base] == color);
  }

  /// The definitions that a declaration is assumed to resolve to, or null.
  const Candidates* assumed(uint32_t i) const {
    const auto& candidates = types_.declarations[i].candidates;
    return rules_[i] < candidates.size() ? &candidates[rules_[i]] : nullptr;
  }

  const ClassTable& table_;
  const TaintedGraph& types_;
  std::vector<uint8_t> rules_;     ///< by declaration: the index of the rule assumed now
  std::vector<uint32_t> targets_;  ///< by node: itself, or the definition that it stands for
  std::vector<bool> is_open_;      ///< by anchor: whether the base only declares its tag
  bool is_any_open_ = false;
  std::vector<uint32_t> colors_;  ///< by node
  /// By list of candidates: the class of all of them, or none.
  std::vector<uint32_t> common_classes_;
};

}  // namespace

std::expected<std::vector<uint32_t>, Error> resolve_declarations(const ClassTable& table,
                                                                 const TaintedGraph& types) {
  return DeclarationResolver(table, types).run();
}

}  // namespace bpflink
