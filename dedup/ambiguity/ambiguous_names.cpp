// Finds the names that several definitions share, and orders them by how many
// parts define them, so that where there are too many to look at each, the ones
// that matter most are.
#include "dedup/ambiguity/ambiguous_names.hpp"

#include <algorithm>
#include <tuple>

#include "dedup/ambiguity/content_hash.hpp"

namespace bpflink {

namespace {

// What is done for a name of its own number costs time for every part. Programs
// have a few such names, or some hundred if they mix two versions of a header.
constexpr uint32_t max_names = 255;

struct Definition {
  uint32_t anchor;
  uint32_t type_class;
  bool is_local;          ///< referred to as a class, not by name
  uint32_t parts;         ///< that have it
  uint64_t anchor_parts;  ///< that have any of the anchor
  uint64_t rank;          ///< by contents
};

/// All definitions, those of one anchor together and the local ones last.
std::vector<Definition> list_definitions(const TypeTable& table, const Adjacency& parts) {
  std::vector<uint32_t> counts(table.class_count());
  for (uint32_t c : parts.children) ++counts[c];
  std::vector<Definition> definitions;
  for (uint32_t c = 1; c < counts.size(); ++c) {
    uint32_t anchor = table.anchor_of(c);
    if (counts[c] == 0 || anchor == 0 || is_declaration(table.words(c).data())) continue;
    definitions.push_back({anchor, c, table.reference_to(c) == c, counts[c], 0, 0});
  }
  std::ranges::sort(definitions, {}, [](const Definition& d) {
    return std::tuple(d.anchor, d.is_local, d.type_class);
  });
  return definitions;
}

/// Whether two definitions differ at most in what they refer to.
bool have_equal_words(const TypeTable& table, uint32_t a, uint32_t b) {
  auto own_words = [&](uint32_t c) {
    std::vector<uint32_t> words(table.words(c).begin(), table.words(c).end());
    for_each_reference(std::span(words), [](uint32_t& reference) { reference = 0; });
    return words;
  };
  return own_words(a) == own_words(b);
}

/// The class that all definitions of an anchor agree on, or 0. Local ones agree
/// with a class if they say the same in their own words.
uint32_t find_sole_definition(const TypeTable& table, std::span<const Definition> definitions) {
  uint32_t first = definitions[0].type_class;
  bool is_sole = !definitions[0].is_local &&
                 std::ranges::all_of(definitions.subspan(1), [&](const Definition& d) {
                   return d.is_local && have_equal_words(table, first, d.type_class);
                 });
  return is_sole ? first : 0;
}

/// Puts the names that most parts define first, and so the definitions of each.
void rank_definitions(const TypeTable& table, std::vector<Definition>& definitions) {
  std::vector<uint64_t> sums(table.anchor_count());
  for (const Definition& d : definitions) sums[d.anchor] += d.parts;
  std::vector<uint64_t> ranks = rank_by_content(table);
  for (Definition& d : definitions) {
    d.anchor_parts = sums[d.anchor];
    d.rank = ranks[d.type_class];
  }
  std::ranges::sort(definitions, [&](const Definition& a, const Definition& b) {
    auto key = [&](const Definition& d) {
      return std::tuple(~d.anchor_parts, table.strings().at(table.anchor_name(d.anchor)),
                        table.anchor_space(d.anchor), ~d.parts, d.rank);
    };
    return key(a) < key(b);
  });
}

}  // namespace

AmbiguousNames find_ambiguous_names(const TypeTable& table, const Adjacency& parts) {
  AmbiguousNames names;
  names.sole_definitions.resize(table.anchor_count());
  names.numbers.assign(table.anchor_count(), Reach::no_name);
  std::vector<Definition> definitions = list_definitions(table, parts);
  for (size_t begin = 0, end = 0; begin < definitions.size(); begin = end) {
    uint32_t anchor = definitions[begin].anchor;
    while (end < definitions.size() && definitions[end].anchor == anchor) ++end;
    names.sole_definitions[anchor] =
        find_sole_definition(table, std::span(definitions).subspan(begin, end - begin));
  }
  std::erase_if(definitions, [&](const Definition& d) {
    return d.is_local || names.sole_definitions[d.anchor] != 0;
  });
  if (definitions.empty()) return names;

  rank_definitions(table, definitions);
  for (const Definition& d : definitions) {
    uint32_t& number = names.numbers[d.anchor];
    if (number == Reach::no_name) {
      number = std::min(names.number_count, max_names);
      names.number_count = number + 1;
      if (number < max_names) names.definitions.starts.push_back(0);
    }
    if (number == max_names) continue;
    names.definitions.children.push_back(d.type_class);
    names.definitions.starts.back() = static_cast<uint32_t>(names.definitions.children.size());
  }
  return names;
}

}  // namespace bpflink
