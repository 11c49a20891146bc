// The order of types by contents.
//
// Name, kind, size and vlen give nearly all types of a kernel a place of their own. Types that
// agree in these are tied. What decides between them may be far away:
//
//   struct key { struct value *v; };     struct value { int a; };
//   struct key { struct value *v; };     struct value { long a; };
//
// So tied types, and the types without names that they lead to, get colors, which are refined in
// rounds: the new color of a type is the rank of its old color followed by those of the types that
// it refers to. A type that is not tied keeps its place as its color. A round takes O(n log n) time
// for n words. Rounds end when no types are tied, or a round separates none, or the work exceeds a
// limit in proportion to the number of types.
#include <algorithm>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "dedup/format/kinds.hpp"
#include "dedup/print/c_names.hpp"
#include "dedup/print/c_types.hpp"

namespace bpflink {

namespace {

constexpr uint64_t min_work = 1 << 20;  ///< words that all rounds together may read
constexpr uint64_t work_per_type = 16;  ///< the same, added for each type

/// A type to sort, with what can be compared without following its references.
struct Entry {
  bool is_nameless;
  std::string_view name;
  BtfKind kind;
  uint32_t size, vlen;
  uint32_t id;

  auto key() const { return std::tuple(is_nameless, name, kind, ~size, ~vlen); }
};

class ContentOrder {
 public:
  ContentOrder(const BtfView& btf, std::span<const uint32_t> ids)
      : btf_(btf), colors_(btf.end_id()) {
    entries_.reserve(ids.size());
    for (uint32_t id : ids) entries_.push_back(entry_of(id));
  }

  std::vector<uint32_t> run() {
    std::ranges::stable_sort(entries_, {}, &Entry::key);
    find_ties();
    if (!nodes_.empty()) separate_ties();
    std::vector<uint32_t> order;
    order.reserve(entries_.size());
    for (const Entry& entry : entries_) order.push_back(entry.id);
    return order;
  }

 private:
  Entry entry_of(uint32_t id) const {
    BtfType type = btf_.type(id);
    bool is_nameless = btf_.name(type).empty();
    uint32_t name = type.name_off();
    if (is_nameless && is_enum(type.kind()) && type.vlen() != 0) name = type.enumerator(0).name_off;
    return {.is_nameless = is_nameless,
            .name = btf_.string(name).substr(0, max_name_length + 1),
            .kind = type.kind(),
            .size = has_size(type.kind()) ? type.size() : 0,
            .vlen = type.vlen(),
            .id = id};
  }

  /// Colors each type by the first place of its key. Tied types become nodes.
  void find_ties() {
    for (size_t begin = 0, end = 0; begin < entries_.size(); begin = end) {
      while (end < entries_.size() && entries_[end].key() == entries_[begin].key())
        colors_[entries_[end++].id] = static_cast<uint32_t>(begin) + 1;
      if (end - begin == 1) continue;
      ties_.emplace_back(begin, end);
      for (size_t i = begin; i < end; ++i) nodes_.push_back(entries_[i].id);
    }
  }

  void separate_ties() {
    add_nameless_nodes();
    rank_names();
    starts_.assign(1, 0);
    for (uint32_t id : nodes_) add_contents(id);
    color_by_keys();
    uint64_t work = min_work + work_per_type * btf_.end_id();
    for (uint32_t count = 0; has_ties() && color_count_ > count && keys_.size() <= work;) {
      work -= keys_.size();
      count = color_count_;
      keys_.clear();
      starts_.assign(1, 0);
      for (uint32_t id : nodes_) {
        keys_.push_back(colors_[id]);
        for_each_reference(btf_.type(id).words(),
                           [&](uint32_t to) { keys_.push_back(colors_[to]); });
        starts_.push_back(keys_.size());
      }
      color_by_keys();
    }
    for (auto [begin, end] : ties_)
      std::ranges::stable_sort(std::span(entries_).subspan(begin, end - begin), {},
                               [&](const Entry& entry) { return colors_[entry.id]; });
  }

  /// Adds the types that nodes reach and that have no color.
  void add_nameless_nodes() {
    auto color = static_cast<uint32_t>(entries_.size()) + 1;
    for (size_t i = 0; i < nodes_.size(); ++i)
      for_each_reference(btf_.type(nodes_[i]).words(), [&](uint32_t to) {
        if (to == 0 || colors_[to] != 0) return;
        colors_[to] = color;
        nodes_.push_back(to);
      });
  }

  void rank_names() {
    for (uint32_t id : nodes_)
      for_each_string(btf_.type(id).words(), [&](uint32_t offset) { name_ranks_[offset] = 0; });
    std::vector<std::pair<std::string_view, uint32_t>> names;
    names.reserve(name_ranks_.size());
    for (auto [offset, rank] : name_ranks_)
      names.emplace_back(btf_.string(offset).substr(0, max_name_length + 1), offset);
    std::ranges::sort(names);
    uint32_t rank = 0;
    for (size_t i = 0; i < names.size(); ++i) {
      if (i != 0 && names[i].first != names[i - 1].first) ++rank;
      name_ranks_[names[i].second] = rank;
    }
  }

  /// Adds the key of a node for the first round, which has its names and numbers as well.
  void add_contents(uint32_t id) {
    std::span<const uint32_t> words = btf_.type(id).words();
    keys_.insert(keys_.end(), {colors_[id], words[1]});
    for_each_string(words, [&](uint32_t offset) { keys_.push_back(name_ranks_[offset]); });
    for_each_word(words, kind_words(kind_of(words.data())).numbers,
                  [&](uint32_t number) { keys_.push_back(number); });
    for_each_reference(words, [&](uint32_t to) { keys_.push_back(colors_[to]); });
    starts_.push_back(keys_.size());
  }

  /// Colors each node by the rank of its key, above the colors of all types that are not nodes.
  void color_by_keys() {
    std::vector<uint32_t> order(nodes_.size());
    for (uint32_t node = 0; node < order.size(); ++node) order[node] = node;
    auto is_less = [&](uint32_t a, uint32_t b) {
      return std::ranges::lexicographical_compare(key(a), key(b));
    };
    std::ranges::sort(order, is_less);
    color_count_ = 1;
    for (size_t i = 0; i < order.size(); ++i) {
      if (i != 0 && is_less(order[i - 1], order[i])) ++color_count_;
      colors_[nodes_[order[i]]] = static_cast<uint32_t>(entries_.size()) + color_count_;
    }
  }

  bool has_ties() const {
    std::vector<uint32_t> colors;
    return std::ranges::any_of(ties_, [&](auto tie) {
      colors.clear();
      for (size_t i = tie.first; i < tie.second; ++i) colors.push_back(colors_[entries_[i].id]);
      std::ranges::sort(colors);
      return std::ranges::adjacent_find(colors) != colors.end();
    });
  }

  std::span<const uint32_t> key(uint32_t node) const {
    return std::span(keys_).subspan(starts_[node], starts_[node + 1] - starts_[node]);
  }

  BtfView btf_;
  std::vector<Entry> entries_;
  std::vector<std::pair<size_t, size_t>> ties_;  ///< ranges of entries with one key
  std::vector<uint32_t> colors_;                 ///< by id; 0 for what is not reached
  std::vector<uint32_t> nodes_;  ///< ids of tied types, and of types without names that they reach
  std::unordered_map<uint32_t, uint32_t> name_ranks_;  ///< by string offset, of nodes
  uint32_t color_count_ = 0;
  // The keys of nodes in a round, one after another
  std::vector<uint32_t> keys_;
  std::vector<size_t> starts_;
};

}  // namespace

std::vector<uint32_t> order_by_contents(const BtfView& btf, std::vector<uint32_t> ids) {
  return ContentOrder(btf, ids).run();
}

}  // namespace bpflink
