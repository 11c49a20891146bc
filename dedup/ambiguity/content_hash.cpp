#include "dedup/ambiguity/content_hash.hpp"

#include <string_view>

namespace bpflink {

namespace {

// How far, in references among tainted types, contents are looked at.
constexpr int depth = 8;

uint64_t hash_values(const std::vector<uint64_t>& values) {
  return XXH3_64bits(values.data(), values.size() * sizeof(uint64_t));
}

class ContentHasher {
 public:
  explicit ContentHasher(const TypeTable& table)
      : table_(table), is_reserved_(table.class_count()), hashes_(table.class_count()) {
    for (uint32_t c : table.reserved()) is_reserved_[c] = true;
  }

  /// Hashes of all classes, with anchors by name.
  std::vector<uint64_t> run() {
    // A class has a higher number than those that it refers to, but for the
    // reserved ones, which count by name alone.
    for (uint32_t c = 1; c < table_.class_count(); ++c) hashes_[c] = hash_class(c);
    return std::move(hashes_);
  }

 private:
  uint64_t hash_string(uint32_t offset) const {
    std::string_view string = table_.strings().at(offset);
    return XXH3_64bits(string.data(), string.size());
  }

  uint64_t hash_anchor(uint32_t anchor) const {
    return hash_string(table_.anchor_name(anchor)) +
           static_cast<uint32_t>(table_.anchor_space(anchor));
  }

  uint64_t hash_reference(Reference reference) const {
    if (reference & anchor_bit) return hash_anchor(reference & ~anchor_bit);
    if (!is_reserved_[reference]) return hashes_[reference];
    uint32_t anchor = table_.anchor_of(reference);
    return anchor != 0 ? hash_anchor(anchor) : 0;
  }

  uint64_t hash_class(uint32_t type_class) {
    std::span<const uint32_t> words = table_.words(type_class);
    values_.assign(words.begin(), words.end());
    for_each_string(words, [&](const uint32_t& offset) {
      values_[&offset - words.data()] = hash_string(offset);
    });
    for_each_reference(words, [&](const uint32_t& reference) {
      values_[&reference - words.data()] = hash_reference(reference);
    });
    return hash_values(values_);
  }

  const TypeTable& table_;
  std::vector<bool> is_reserved_;
  std::vector<uint64_t> hashes_;
  std::vector<uint64_t> values_;
};

}  // namespace

std::vector<uint64_t> rank_by_content(const TypeTable& table) {
  return ContentHasher(table).run();
}

std::vector<uint64_t> rank_by_content(const TypeTable& table, const InstanceGraph& graph) {
  std::vector<uint64_t> class_hashes = rank_by_content(table);
  std::vector<uint64_t> ranks;
  for (const Instance& node : graph.nodes()) ranks.push_back(class_hashes[node.type_class]);
  const Adjacency& references = graph.references();
  std::vector<uint64_t> values;
  for (int i = 0; i < depth; ++i) {
    std::vector<uint64_t> deeper(ranks.size());
    for (uint32_t node = 0; node < ranks.size(); ++node) {
      values.assign(1, class_hashes[graph.nodes()[node].type_class]);
      for (uint32_t r = references.starts[node]; r < references.starts[node + 1]; ++r)
        values.push_back(ranks[references.children[r]]);
      deeper[node] = hash_values(values);
    }
    ranks = std::move(deeper);
  }
  return ranks;
}

}  // namespace bpflink
