// Tells tainted types apart, and resolves forward declarations among them.
//
// A declaration of an ambiguous name is resolved where something says which
// definition it stands for:
// - the unit (or the base that it is split from) has exactly one definition;
// - or all definitions of all units turned out to be equal after all;
// - or a struct that refers to the declaration exists in another unit, equal in
//   its own words, with a definition there. Where that leaves a choice, most
//   such structs win, and among equals the contents of the definitions decide,
//   so that the order of inputs does not matter;
// - or other declarations of the name were resolved in that way: then it goes
//   with most of them;
// - or it is of an enum. Declaring an enum is an extension of compilers for
//   pointers to it, which are all alike, and libbpf takes any definition. We
//   take the one that most types refer to.
// Otherwise it stays a declaration. Resolving one makes types equal that were
// not, which may settle others, so this goes on until nothing changes.
#include "dedup/fold.hpp"

#include <algorithm>
#include <tuple>

#include "dedup/content_hash.hpp"

namespace bpflink {

namespace {

constexpr uint32_t no_node = InstanceGraph::no_node;

// Each round resolves what the one before made possible. Real programs need two;
// the limit is for inputs made to need one for each declaration.
constexpr int max_rounds = 16;
constexpr size_t max_candidates = 16;  ///< definitions considered for one name in one struct
constexpr size_t max_paths = 256;      ///< references followed from one struct to its anchors

/// A struct and an anchor that it refers to, directly or through types without
/// tag.
struct Mention {
  uint32_t shape;     ///< of the struct
  uint32_t position;  ///< among the struct's mentions
  uint32_t anchor;
  uint32_t node;  ///< what the struct has under the anchor's name
};

/// What a mention is evidence about.
std::tuple<uint32_t, uint32_t, uint32_t> subject(const Mention& m) {
  return {m.shape, m.position, m.anchor};
}

class Folder {
 public:
  Folder(const TypeTable& table, const InstanceGraph& graph)
      : table_(table), graph_(graph), links_(graph.nodes().size(), no_node) {
    for (uint32_t node = 0; node < graph.nodes().size(); ++node) {
      if (graph.anchor(node) == 0) continue;
      if (!graph.is_declaration(node))
        definitions_.push_back(node);
      else if (graph.nodes()[node].environment != InstanceGraph::base_environment)
        declarations_.push_back(node);
    }
    auto key = [&](uint32_t node) {
      return std::tuple(graph_.anchor(node), graph_.nodes()[node].environment, node);
    };
    std::ranges::sort(definitions_, {}, key);
    std::ranges::sort(declarations_, {}, key);
  }

  Coloring run();

 private:
  void color();
  bool link_where_unique();
  bool link_by_evidence();
  bool link_as_others();
  bool link_enums();
  std::span<const uint32_t> definitions(uint32_t anchor) const;
  uint32_t only_definition(uint32_t declaration) const;
  uint32_t common_definition(std::span<const uint32_t> definitions) const;
  void list_mentions();
  void list_mentions_of(uint32_t record);
  void sort_candidates(std::vector<Mention>& mentions);

  const TypeTable& table_;
  const InstanceGraph& graph_;
  std::vector<uint32_t> definitions_;   ///< by anchor, then environment
  std::vector<uint32_t> declarations_;  ///< that may be resolved
  std::vector<uint32_t> links_;         ///< from declarations to definitions
  std::vector<uint32_t> linked_by_evidence_;
  Coloring coloring_;
  std::vector<Mention> mentions_;
  std::vector<uint64_t> ranks_;
  std::vector<uint32_t> stack_;
};

Coloring Folder::run() {
  color();
  for (int round = 0; round < max_rounds && !declarations_.empty(); ++round) {
    bool linked = link_where_unique();
    // Weaker evidence is for what stronger left open.
    if (!linked) linked = link_by_evidence();
    if (!linked) linked = link_as_others();
    if (!linked) linked = link_enums();
    if (!linked) break;
    color();
  }
  return std::move(coloring_);
}

void Folder::color() {
  coloring_.references = graph_.references();
  for (uint32_t& child : coloring_.references.children)
    if (links_[child] != no_node) child = links_[child];
  coloring_.colors = refine(coloring_.references, graph_.shapes());
  for (uint32_t node = 0; node < links_.size(); ++node)
    if (links_[node] != no_node) coloring_.colors[node] = coloring_.colors[links_[node]];
}

std::span<const uint32_t> Folder::definitions(uint32_t anchor) const {
  auto range = std::ranges::equal_range(definitions_, anchor, {},
                                        [&](uint32_t node) { return graph_.anchor(node); });
  return {range.begin(), range.end()};
}

/// One of these definitions, if all are equal.
uint32_t Folder::common_definition(std::span<const uint32_t> definitions) const {
  if (definitions.empty()) return no_node;
  uint32_t color = coloring_.colors[definitions[0]];
  bool all = std::ranges::all_of(definitions,
                                 [&](uint32_t node) { return coloring_.colors[node] == color; });
  return all ? definitions[0] : no_node;
}

uint32_t Folder::only_definition(uint32_t declaration) const {
  std::span<const uint32_t> all = definitions(graph_.anchor(declaration));
  auto within = [&](uint32_t environment) {
    auto range = std::ranges::equal_range(
        all, environment, {}, [&](uint32_t node) { return graph_.nodes()[node].environment; });
    return std::span<const uint32_t>(range.begin(), range.end());
  };
  std::span<const uint32_t> own = within(graph_.nodes()[declaration].environment);
  if (own.empty()) own = within(InstanceGraph::base_environment);
  return common_definition(own.empty() ? all : own);
}

bool Folder::link_where_unique() {
  size_t open = declarations_.size();
  std::erase_if(declarations_, [&](uint32_t declaration) {
    links_[declaration] = only_definition(declaration);
    return links_[declaration] != no_node;
  });
  return declarations_.size() != open;
}

void Folder::list_mentions_of(uint32_t record) {
  const Adjacency& references = graph_.references();
  stack_.assign(1, record);
  uint32_t position = 0;
  for (size_t followed = 0; !stack_.empty() && followed < max_paths;) {
    uint32_t node = stack_.back();
    stack_.pop_back();
    for (uint32_t i = references.starts[node]; i < references.starts[node + 1]; ++i, ++followed) {
      uint32_t child = references.children[i];
      if (uint32_t anchor = graph_.anchor(child); anchor != 0)
        mentions_.push_back({graph_.shapes()[record], position++, anchor, child});
      else
        stack_.push_back(child);
    }
  }
}

void Folder::list_mentions() {
  for (uint32_t node = 0; node < graph_.nodes().size(); ++node) {
    uint8_t kind = kind_of(graph_.words(node).data());
    if (kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION) list_mentions_of(node);
  }
}

/// Orders candidates by what they are evidence for and then by contents, and
/// keeps one of each color.
void Folder::sort_candidates(std::vector<Mention>& mentions) {
  auto key = [&](const Mention& m) {
    return std::tuple(subject(m), ranks_[m.node], coloring_.colors[m.node], m.node);
  };
  std::ranges::sort(mentions, {}, key);
  auto repeated = std::ranges::unique(mentions, [&](const Mention& a, const Mention& b) {
    return subject(a) == subject(b) &&
           coloring_.colors[a.node] == coloring_.colors[b.node];
  });
  mentions.erase(repeated.begin(), repeated.end());
}

bool Folder::link_by_evidence() {
  if (mentions_.empty()) list_mentions();
  if (ranks_.empty()) ranks_ = rank_by_content(table_, graph_);
  std::vector<Mention> candidates, open;
  for (Mention mention : mentions_) {
    if (links_[mention.node] != no_node) mention.node = links_[mention.node];
    bool is_open = graph_.is_declaration(mention.node);
    if (is_open && graph_.nodes()[mention.node].environment == InstanceGraph::base_environment)
      continue;
    (is_open ? open : candidates).push_back(mention);
  }
  sort_candidates(candidates);

  struct Vote {
    uint32_t declaration;
    uint64_t rank;
    uint32_t definition;
  };
  std::vector<Vote> votes;
  for (const Mention& mention : open) {
    auto range = std::ranges::equal_range(candidates, subject(mention), {}, subject);
    for (size_t i = 0; i < range.size() && i < max_candidates; ++i)
      votes.push_back({mention.node, ranks_[range[i].node], range[i].node});
  }
  if (votes.empty()) return false;

  // Votes for one color stand together: take the declaration's longest run.
  auto ballot = [&](const Vote& v) {
    return std::tuple(v.declaration, v.rank, coloring_.colors[v.definition]);
  };
  std::ranges::sort(votes, {}, ballot);
  std::vector<size_t> counts(links_.size());
  for (size_t begin = 0, end = 0; begin < votes.size(); begin = end) {
    while (end < votes.size() && ballot(votes[end]) == ballot(votes[begin])) ++end;
    uint32_t declaration = votes[begin].declaration;
    if (end - begin <= counts[declaration]) continue;
    counts[declaration] = end - begin;
    links_[declaration] = votes[begin].definition;
  }
  std::erase_if(declarations_, [&](uint32_t node) {
    if (links_[node] == no_node) return false;
    linked_by_evidence_.push_back(node);
    return true;
  });
  return true;
}

bool Folder::link_as_others() {
  struct Choice {
    size_t count = 0;
    uint32_t definition = no_node;
  };
  auto key = [&](uint32_t declaration) {
    uint32_t definition = links_[declaration];
    return std::tuple(graph_.anchor(declaration), ranks_[definition], coloring_.colors[definition]);
  };
  std::ranges::sort(linked_by_evidence_, {}, key);
  std::vector<Choice> choices(table_.anchor_count());
  std::span<const uint32_t> linked = linked_by_evidence_;
  for (size_t begin = 0, end = 0; begin < linked.size(); begin = end) {
    while (end < linked.size() && key(linked[end]) == key(linked[begin])) ++end;
    Choice& choice = choices[graph_.anchor(linked[begin])];
    if (end - begin > choice.count) choice = {end - begin, links_[linked[begin]]};
  }
  size_t open = declarations_.size();
  std::erase_if(declarations_, [&](uint32_t declaration) {
    links_[declaration] = choices[graph_.anchor(declaration)].definition;
    return links_[declaration] != no_node;
  });
  return declarations_.size() != open;
}

bool Folder::link_enums() {
  std::vector<int64_t> references_to(links_.size());
  for (uint32_t child : coloring_.references.children) ++references_to[coloring_.colors[child]];
  size_t open = declarations_.size();
  std::erase_if(declarations_, [&](uint32_t declaration) {
    uint32_t anchor = graph_.anchor(declaration);
    if (table_.anchor_space(anchor) != TagSpace::enums) return false;
    std::span<const uint32_t> candidates = definitions(anchor);
    if (candidates.empty()) return false;
    links_[declaration] = *std::ranges::min_element(candidates, {}, [&](uint32_t node) {
      return std::pair(-references_to[coloring_.colors[node]], ranks_[node]);
    });
    return true;
  });
  return declarations_.size() != open;
}

}  // namespace

Coloring color_instances(const TypeTable& table, const InstanceGraph& graph) {
  return Folder(table, graph).run();
}

}  // namespace bpflink
