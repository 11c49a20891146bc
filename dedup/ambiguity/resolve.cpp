// Decides which definition each forward declaration resolves to: the greatest fixed point.
//
// At first, each declaration resolves to the candidates of its first rule that has any, as if these
// were all equal. Under this assumption, refinement finds the types that differ. If the candidates
// of a declaration turn out to differ, the assumption was wrong. All such declarations move on to
// their next rule together, and refinement starts anew. A wrong assumption makes other types differ
// that are equal without it, so a later rule is given up only when everything that the earlier
// rules assume holds. In the end all assumptions hold.
#include <algorithm>

#include "dedup/ambiguity/bound_types.hpp"

namespace bpflink {

namespace {

constexpr uint32_t none = Candidates::none;

class Resolution {
 public:
  Resolution(const ClassTable& table, const BoundTypes& types)
      : table_(table), types_(types), rules_(types.declarations.size()) {
    list_classes_ = find_common(types.classes);
    for (uint32_t i = 0; i < rules_.size(); ++i) skip_rules(i);
  }

  std::vector<uint32_t> run() {
    do {
      find_targets();
      colors_ = refine(redirected(), first_colors());
    } while (take_back());
    for (const Declaration& declaration : types_.declarations)
      colors_[declaration.node] = colors_[targets_[declaration.node]];
    return std::move(colors_);
  }

 private:
  void skip_rules(uint32_t i);
  void find_targets();
  Graph redirected() const;
  std::vector<uint32_t> first_colors() const;
  bool take_back();
  std::vector<uint32_t> find_common(const std::vector<uint32_t>& colors) const;
  static bool are_one(const Candidates& candidates, const std::vector<uint32_t>& common);

  /// The definitions that a declaration is assumed to stand for, or null.
  const Candidates* assumed(uint32_t i) const {
    const auto& candidates = types_.declarations[i].candidates;
    return rules_[i] < candidates.size() ? &candidates[rules_[i]] : nullptr;
  }

  const ClassTable& table_;
  const BoundTypes& types_;
  std::vector<uint8_t> rules_;     ///< by declaration: which of its rules holds so far
  std::vector<uint32_t> targets_;  ///< by node: what stands for it
  std::vector<uint32_t> colors_;   ///< by node
  /// By list of candidates: the class that all of them have, or none.
  std::vector<uint32_t> list_classes_;
};

/// By list of candidates: what all of them have of `colors`, which are by node, or none.
std::vector<uint32_t> Resolution::find_common(const std::vector<uint32_t>& colors) const {
  std::vector<uint32_t> common;
  for (uint32_t list = 0; list < types_.candidates.size(); ++list) {
    std::span<const uint32_t> nodes = types_.candidates.edges(list);
    uint32_t color = colors[nodes.front()];
    bool is_one = std::ranges::all_of(nodes, [&](uint32_t node) { return colors[node] == color; });
    common.push_back(is_one ? color : none);
  }
  return common;
}

/// Whether there are candidates, and all have the same color, as far as lists tell.
bool Resolution::are_one(const Candidates& candidates, const std::vector<uint32_t>& common) {
  if (candidates.of_base == none && candidates.others == none) return false;
  uint32_t color = common[candidates.others != none ? candidates.others : candidates.of_base];
  return color != none && (candidates.of_base == none || common[candidates.of_base] == color);
}

/// Goes on to the first rule, from the present one on, that has candidates of one class.
void Resolution::skip_rules(uint32_t i) {
  while (assumed(i) != nullptr && !are_one(*assumed(i), list_classes_)) ++rules_[i];
}

void Resolution::find_targets() {
  targets_.resize(types_.classes.size());
  for (uint32_t node = 0; node < targets_.size(); ++node) targets_[node] = node;
  for (uint32_t i = 0; i < rules_.size(); ++i)
    if (const Candidates* c = assumed(i))
      targets_[types_.declarations[i].node] =
          types_.candidates.edges(c->of_base != none ? c->of_base : c->others).front();
}

/// The references, with what stands for declarations in their place.
Graph Resolution::redirected() const {
  Graph references = types_.references;
  for (uint32_t& child : references.targets) child = targets_[child];
  return references;
}

/// Colors nodes by their classes, and declarations by their tags.
std::vector<uint32_t> Resolution::first_colors() const {
  std::vector<uint32_t> numbers(size_t{table_.class_count()} + table_.anchor_count(), none);
  std::vector<uint32_t> colors;
  uint32_t count = 0;
  for (uint32_t c : types_.classes) {
    bool declares = table_.anchor_of(c) != 0 && !table_.is_definition(c);
    uint32_t& number = numbers[declares ? table_.class_count() + table_.anchor_of(c) : c];
    if (number == none) number = count++;
    colors.push_back(number);
  }
  return colors;
}

/// Takes back what turned out to be wrong, of the first rule of which anything did. Returns whether
/// there was anything.
bool Resolution::take_back() {
  std::vector<uint32_t> common = find_common(colors_);
  std::vector<uint32_t> wrong;
  uint8_t first_rule = UINT8_MAX;
  for (uint32_t i = 0; i < rules_.size(); ++i) {
    if (assumed(i) == nullptr || are_one(*assumed(i), common)) continue;
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

}  // namespace

std::vector<uint32_t> resolve_declarations(const ClassTable& table, const BoundTypes& types) {
  return Resolution(table, types).run();
}

}  // namespace bpflink
