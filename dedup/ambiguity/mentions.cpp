// Compares structs that have the same shape. Where one mentions a declaration
// and another a definition of the same name, and nothing that is settled in both
// differs, the definition gets a vote, weighted by how much agrees.
#include "dedup/ambiguity/mentions.hpp"

#include <algorithm>
#include <tuple>

namespace bpflink {

namespace {

constexpr uint32_t no_node = InstanceGraph::no_node;

// Limits for inputs made to be slow: what one struct mentions, and how many
// different structs of its shape it is compared with.
constexpr size_t max_paths = 256;
constexpr size_t max_models = 16;

}  // namespace

struct Mentions::Vote {
  uint32_t declaration;
  uint32_t definition;
  uint32_t color;   ///< of the definition
  uint32_t weight;  ///< how many other mentions agree
};

Mentions::Mentions(const InstanceGraph& graph) : graph_(graph), starts_{0} {
  for (uint32_t node = 0; node < graph.nodes().size(); ++node) {
    uint8_t kind = kind_of(graph.words(node).data());
    if (kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION) records_.push_back(node);
  }
  std::ranges::sort(records_, {},
                    [&](uint32_t node) { return std::pair(graph_.shapes()[node], node); });
  for (uint32_t record : records_) add_record(record);
}

void Mentions::add_record(uint32_t record) {
  stack_.assign(1, record);
  for (size_t followed = 0; !stack_.empty() && followed < max_paths;) {
    uint32_t node = stack_.back();
    stack_.pop_back();
    for (uint32_t child : graph_.references().of(node)) {
      ++followed;
      if (graph_.anchor(child) != 0)
        mentioned_.push_back(child);
      else
        stack_.push_back(child);
    }
  }
  starts_.push_back(static_cast<uint32_t>(mentioned_.size()));
}

/// The structs of one shape, and the votes that they make.
class Mentions::Ballot {
 public:
  Ballot(const Mentions& mentions, const Knowledge& known) : mentions_(mentions), known_(known) {}

  void hold(size_t begin, size_t end) {
    if (end - begin < 2) return;
    find_models(begin, end);
    for (size_t record = begin; record < end; ++record) {
      auto mentioned = mentions_.of(record);
      if (std::ranges::any_of(mentioned, [&](uint32_t node) { return is_open(node); }))
        vote(record);
    }
  }

  std::vector<Vote> take() { return std::move(votes_); }

 private:
  uint32_t resolved(uint32_t node) const {
    return known_.links[node] != no_node ? known_.links[node] : node;
  }
  bool is_open(uint32_t node) const {
    return known_.links[node] == no_node && mentions_.graph_.is_declaration(node);
  }

  /// What a struct mentions, by contents: its own rank does not say which
  /// definitions its declarations stand for.
  std::vector<uint64_t> rank_of_mentions(size_t record) const {
    std::vector<uint64_t> ranks;
    for (uint32_t node : mentions_.of(record)) ranks.push_back(known_.ranks[resolved(node)]);
    return ranks;
  }

  /// Chooses structs to compare with: of each color the first, the most settled
  /// and then those of the least contents.
  void find_models(size_t begin, size_t end) {
    models_.clear();
    for (size_t record = begin; record < end; ++record) models_.push_back(record);
    auto color = [&](size_t record) { return known_.colors[mentions_.records_[record]]; };
    std::ranges::sort(models_, {}, [&](size_t record) { return std::pair(color(record), record); });
    auto repeated = std::ranges::unique(models_, {}, color);
    models_.erase(repeated.begin(), repeated.end());
    auto order = [&](size_t record) {
      auto open =
          std::ranges::count_if(mentions_.of(record), [&](uint32_t node) { return is_open(node); });
      return std::tuple(open, known_.ranks[mentions_.records_[record]], rank_of_mentions(record),
                        record);
    };
    std::ranges::sort(models_, {}, order);
    if (models_.size() > max_models) models_.resize(max_models);
  }

  /// How many mentions agree, or -1 if one does not.
  int agreement(std::span<const uint32_t> mentioned, std::span<const uint32_t> model) const {
    if (mentioned.size() != model.size()) return -1;
    int agreeing = 0;
    for (size_t i = 0; i < mentioned.size(); ++i) {
      uint32_t a = resolved(mentioned[i]);
      uint32_t b = resolved(model[i]);
      if (mentions_.graph_.anchor(a) != mentions_.graph_.anchor(b)) return -1;
      if (known_.colors[a] == known_.colors[b])
        ++agreeing;
      else if (known_.settled[a] && known_.settled[b])
        return -1;
    }
    return agreeing;
  }

  void vote(size_t record) {
    std::span<const uint32_t> mentioned = mentions_.of(record);
    int best = -1;
    std::vector<size_t> models;
    for (size_t model : models_) {
      int agreeing = agreement(mentioned, mentions_.of(model));
      if (agreeing < std::max(best, 0) || !offers_definition(mentioned, mentions_.of(model)))
        continue;
      if (agreeing > best) models.clear();
      best = agreeing;
      models.push_back(model);
    }
    if (best < 0) return;
    std::span<const uint32_t> model = mentions_.of(choose_model(record, models));
    for (size_t i = 0; i < mentioned.size(); ++i) {
      uint32_t definition = resolved(model[i]);
      if (!is_open(mentioned[i]) || is_open(definition)) continue;
      votes_.push_back(
          {mentioned[i], definition, known_.colors[definition], static_cast<uint32_t>(best) + 1});
    }
  }

  /// Of models that agree with a struct as much, the first of those that are
  /// referred to in the same way most often, they and what they offer.
  size_t choose_model(size_t record, std::span<const size_t> models) const {
    if (models.size() == 1) return models[0];
    return *std::ranges::max_element(
        models, {}, [&](size_t model) { return common_surroundings(record, model); });
  }

  size_t common_surroundings(size_t record, size_t model) const {
    auto common = [&](uint32_t a, uint32_t b) {
      return known_.surroundings.common(known_.colors[a], known_.colors[b]);
    };
    size_t sum = common(mentions_.records_[record], mentions_.records_[model]);
    std::span<const uint32_t> mentioned = mentions_.of(record);
    for (size_t i = 0; i < mentioned.size(); ++i)
      if (is_open(mentioned[i])) sum += common(mentioned[i], resolved(mentions_.of(model)[i]));
    return sum;
  }

  bool offers_definition(std::span<const uint32_t> mentioned,
                         std::span<const uint32_t> model) const {
    for (size_t i = 0; i < mentioned.size(); ++i)
      if (is_open(mentioned[i]) && !is_open(resolved(model[i]))) return true;
    return false;
  }

  const Mentions& mentions_;
  const Knowledge& known_;
  std::vector<size_t> models_;
  std::vector<Vote> votes_;
};

std::vector<uint32_t> Mentions::choose(const Knowledge& known) const {
  Ballot ballot(*this, known);
  auto shape = [&](size_t record) { return graph_.shapes()[records_[record]]; };
  for (size_t begin = 0, end = 0; begin < records_.size(); begin = end) {
    while (end < records_.size() && shape(end) == shape(begin)) ++end;
    ballot.hold(begin, end);
  }

  std::vector<Vote> votes = ballot.take();
  auto candidate = [&](const Vote& v) {
    return std::tuple(v.declaration, known.ranks[v.definition], v.color);
  };
  std::ranges::sort(votes, {}, candidate);
  std::vector<uint32_t> chosen(graph_.nodes().size(), no_node);
  std::vector<uint64_t> weights(graph_.nodes().size());
  for (size_t begin = 0, end = 0; begin < votes.size(); begin = end) {
    uint64_t weight = 0;
    for (; end < votes.size() && candidate(votes[end]) == candidate(votes[begin]); ++end)
      weight += votes[end].weight;
    uint32_t declaration = votes[begin].declaration;
    if (weight <= weights[declaration]) continue;
    weights[declaration] = weight;
    chosen[declaration] = votes[begin].definition;
  }
  return chosen;
}

}  // namespace bpflink
