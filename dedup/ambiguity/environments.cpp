// Numbers what ambiguous names mean to a class in a part.
//
// Of all that a part says about ambiguous names, a class is only concerned with
// those that it can reach. So two parts that differ in a driver's private struct
// share all types of the kernel's core, and only if they differ in a struct of
// the core there are two of what can reach that. An environment is the list of
// those names with the classes that define them in the part, interned.
#include "dedup/ambiguity/environments.hpp"

#include <algorithm>

#include "dedup/ambiguity/completion.hpp"

namespace bpflink {

uint32_t WordLists::intern(std::span<const uint32_t> list) {
  uint32_t hash = hash_bytes(list.data(), list.size_bytes());
  uint32_t found = index_.find(hash, [&](uint32_t number) {
    size_t start = starts_[number - 1];
    return std::ranges::equal(std::span(words_).subspan(start, starts_[number] - start), list);
  });
  if (found != 0) return found;
  words_.insert(words_.end(), list.begin(), list.end());
  starts_.push_back(words_.size());
  auto number = static_cast<uint32_t>(starts_.size() - 1);
  index_.insert(hash, number);
  return number;
}

Environments::Environments(const TypeTable& table, const Taint& taint, const Adjacency& parts,
                           bool has_base)
    : table_(table),
      parts_(parts),
      has_base_(has_base),
      names_(find_ambiguous_names(table, parts)),
      reach_(table, taint, names_.numbers, names_.number_count),
      own_definitions_(table.anchor_count()),
      meanings_(names_.number_count),
      known_(reach_.set_count()) {
  if (names_.number_count > 0 && !has_base)
    completions_ = complete_parts(table, names_, reach_, parts);
}

void Environments::enter(uint32_t part) {
  for (uint32_t c : parts_.of(part_)) own_definitions_[table_.anchor_of(c)] = 0;
  part_ = part;
  for (uint32_t c : parts_.of(part)) {
    if (table_.is_definition(c)) own_definitions_[table_.anchor_of(c)] = c;
  }
  if (!has_base_) return set_meanings(part);
  list_.clear();
  for (uint32_t c : parts_.of(part))
    if (table_.anchor_of(c) != 0) list_.push_back(c);
  std::ranges::sort(list_);
  whole_ = lists_.intern(list_);
}

void Environments::set_meanings(uint32_t part) {
  std::ranges::fill(meanings_, 0);
  list_.clear();
  for (uint32_t c : parts_.of(part)) {
    uint32_t number = names_.numbers[table_.anchor_of(c)];
    if (number == Reach::no_name || !table_.is_definition(c)) continue;
    if (names_.is_shared(number))
      list_.push_back(c);
    else
      meanings_[number] = c;
  }
  if (completions_.node_count() > 0)
    for (uint32_t c : completions_.of(part)) meanings_[names_.numbers[table_.anchor_of(c)]] = c;
  if (list_.empty()) return;
  std::ranges::sort(list_);
  meanings_.back() = lists_.intern(list_);
}

uint32_t Environments::of(uint32_t type_class) {
  if (has_base_) return whole_;
  uint32_t set = reach_.set_of(type_class);
  if (known_[set].part != part_) known_[set] = {part_, intern_environment(reach_.set(set))};
  return known_[set].environment;
}

uint32_t Environments::intern_environment(std::span<const uint64_t> names) {
  list_.clear();
  for (uint32_t number = 0; number < meanings_.size(); ++number)
    if ((names[number / 64] >> number % 64 & 1) != 0 && meanings_[number] != 0)
      list_.insert(list_.end(), {number, meanings_[number]});
  return lists_.intern(list_);
}

uint32_t Environments::definition(uint32_t anchor) const {
  if (own_definitions_[anchor] != 0) return own_definitions_[anchor];
  uint32_t number = names_.numbers[anchor];
  if (number == Reach::no_name) return names_.sole_definitions[anchor];
  return names_.is_shared(number) ? 0 : meanings_[number];
}

}  // namespace bpflink
