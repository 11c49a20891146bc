// Completes what a part says about ambiguous names from what other parts say.
//
// A part that declares `struct task;` and does not define it may be one with the
// parts that have this or that definition of it. Where one of its structs occurs
// in parts with a certain definition, and can reach the name, that is evidence:
// the structs become one type if the name means the same. Of several definitions
// with evidence, the one is taken that
// 1. occurs together with most of the definitions that the part has, or has been
//    completed with before: two versions of a header differ in many structs at a
//    time, and what belongs together is found together. Names for which that
//    leaves a choice wait until others are completed;
// 2. has most of the part's structs as evidence;
// 3. most parts have, or else comes first by its contents.
//
// All this is kept in bits, one for each definition: those that a part has,
// those that each struct occurs with, those that each definition occurs with.
#include "dedup/ambiguity/completion.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace bpflink {

namespace {

// Limits for inputs with very many definitions: of one name, and in all.
constexpr size_t max_of_name = 16;
constexpr size_t max_candidates = 1024;
// How often names wait.
constexpr int max_passes = 16;

using Bits = std::array<uint64_t, max_candidates / 64>;

void set_bit(Bits& bits, uint32_t i) {
  bits[i / 64] |= uint64_t{1} << i % 64;
}

class Completion {
 public:
  Completion(const TypeTable& table, const AmbiguousNames& names, const Reach& reach,
             const Adjacency& parts);
  Adjacency run();

 private:
  static constexpr uint32_t none = UINT32_MAX;

  struct Choice {
    uint32_t candidate = none;
    bool is_clear = false;  ///< no other agrees with as much of what is known
  };

  void list_candidates();
  void number_records();
  void collect_evidence();
  void limit_to_reach();
  Bits defined_by(uint32_t part);
  void count_votes(uint32_t part);
  void complete(uint32_t part, std::vector<uint32_t>& chosen);
  Choice choose(uint32_t name, const Bits& known) const;
  uint32_t agreement(uint32_t candidate, const Bits& known) const;

  const TypeTable& table_;
  const AmbiguousNames& names_;
  const Reach& reach_;
  const Adjacency& parts_;

  std::vector<uint32_t> candidates_;  ///< classes, by name and then as names_ has them
  std::vector<uint32_t> starts_{0};   ///< of each name's candidates
  size_t words_ = 0;                  ///< of the bits of all candidates
  std::vector<Bits> together_;        ///< by candidate: those that occur with it

  std::vector<uint32_t> candidate_of_;  ///< by class, or none
  std::vector<uint32_t> record_of_;     ///< by class: the number of a struct or union, or none
  std::vector<uint32_t> records_;       ///< classes
  std::vector<uint64_t> occurs_with_;   ///< by record, `words_` of candidates each

  // The part at hand.
  std::vector<bool> is_open_;    ///< by name: the part does not define it
  std::vector<uint32_t> votes_;  ///< by candidate: structs that occur with it
};

Completion::Completion(const TypeTable& table, const AmbiguousNames& names, const Reach& reach,
                       const Adjacency& parts)
    : table_(table),
      names_(names),
      reach_(reach),
      parts_(parts),
      candidate_of_(table.class_count(), none),
      record_of_(table.class_count(), none) {
  list_candidates();
  number_records();
}

void Completion::list_candidates() {
  for (uint32_t name = 0; name < names_.definitions.node_count(); ++name) {
    std::span<const uint32_t> definitions = names_.definitions.of(name);
    size_t room = max_candidates - candidates_.size();
    for (uint32_t c : definitions.first(std::min({definitions.size(), max_of_name, room}))) {
      candidate_of_[c] = static_cast<uint32_t>(candidates_.size());
      candidates_.push_back(c);
    }
    starts_.push_back(static_cast<uint32_t>(candidates_.size()));
  }
  words_ = (candidates_.size() + 63) / 64;
  together_.resize(candidates_.size());
}

void Completion::number_records() {
  for (uint32_t c : parts_.children) {
    uint8_t kind = kind_of(table_.words(c).data());
    if (record_of_[c] != none || (kind != BTF_KIND_STRUCT && kind != BTF_KIND_UNION)) continue;
    record_of_[c] = static_cast<uint32_t>(records_.size());
    records_.push_back(c);
  }
  occurs_with_.resize(records_.size() * words_);
}

Adjacency Completion::run() {
  collect_evidence();
  limit_to_reach();
  Adjacency chosen;
  for (uint32_t part = 0; part < parts_.node_count(); ++part) {
    complete(part, chosen.children);
    chosen.starts.push_back(static_cast<uint32_t>(chosen.children.size()));
  }
  return chosen;
}

/// The candidates that a part has; notes which names it leaves open.
Bits Completion::defined_by(uint32_t part) {
  is_open_.assign(names_.definitions.node_count(), true);
  Bits defined{};
  for (uint32_t c : parts_.of(part)) {
    if (candidate_of_[c] != none) set_bit(defined, candidate_of_[c]);
    uint32_t number = names_.numbers[table_.anchor_of(c)];
    if (number < is_open_.size() && table_.is_definition(c)) is_open_[number] = false;
  }
  return defined;
}

void Completion::collect_evidence() {
  for (uint32_t part = 0; part < parts_.node_count(); ++part) {
    Bits defined = defined_by(part);
    if (defined == Bits{}) continue;
    for (uint32_t c : parts_.of(part)) {
      if (candidate_of_[c] != none)
        for (size_t i = 0; i < words_; ++i) together_[candidate_of_[c]][i] |= defined[i];
      if (record_of_[c] != none)
        for (size_t i = 0; i < words_; ++i) occurs_with_[record_of_[c] * words_ + i] |= defined[i];
    }
  }
}

/// A struct that cannot reach a name is no evidence for what the name means.
void Completion::limit_to_reach() {
  std::vector<Bits> reached(reach_.set_count());
  for (uint32_t set = 0; set < reach_.set_count(); ++set) {
    for (uint32_t name = 0; name < names_.definitions.node_count(); ++name) {
      if ((reach_.set(set)[name / 64] >> name % 64 & 1) == 0) continue;
      for (uint32_t i = starts_[name]; i < starts_[name + 1]; ++i) set_bit(reached[set], i);
    }
  }
  for (uint32_t record = 0; record < records_.size(); ++record) {
    const Bits& mask = reached[reach_.set_of(records_[record])];
    for (size_t i = 0; i < words_; ++i) occurs_with_[record * words_ + i] &= mask[i];
  }
}

void Completion::count_votes(uint32_t part) {
  votes_.assign(candidates_.size(), 0);
  for (uint32_t c : parts_.of(part)) {
    if (record_of_[c] == none) continue;
    for (size_t i = 0; i < words_; ++i)
      for (uint64_t bits = occurs_with_[record_of_[c] * words_ + i]; bits != 0; bits &= bits - 1)
        ++votes_[64 * i + static_cast<size_t>(std::countr_zero(bits))];
  }
}

void Completion::complete(uint32_t part, std::vector<uint32_t>& chosen) {
  Bits known = defined_by(part);
  if (std::ranges::find(is_open_, true) == is_open_.end()) return;
  count_votes(part);
  std::vector<uint32_t> open;
  for (uint32_t name = 0; name < is_open_.size(); ++name)
    if (is_open_[name] && choose(name, known).candidate != none) open.push_back(name);
  auto take = [&](uint32_t candidate) {
    set_bit(known, candidate);
    chosen.push_back(candidates_[candidate]);
  };
  for (int pass = 0; !open.empty(); ++pass) {
    size_t erased = std::erase_if(open, [&](uint32_t name) {
      Choice choice = choose(name, known);
      if (!choice.is_clear && pass < max_passes) return false;
      take(choice.candidate);
      return true;
    });
    if (erased > 0) continue;
    take(choose(open.front(), known).candidate);
    open.erase(open.begin());
  }
}

/// The candidate for a name that goes best with those known.
Completion::Choice Completion::choose(uint32_t name, const Bits& known) const {
  Choice best;
  std::pair<uint32_t, uint32_t> best_score;
  for (uint32_t i = starts_[name]; i < starts_[name + 1]; ++i) {
    if (votes_[i] == 0) continue;
    std::pair score(agreement(i, known), votes_[i]);
    bool is_first = best.candidate == none;
    if (is_first || score > best_score) {
      best = {i, is_first || score.first > best_score.first};
      best_score = score;
    } else if (score.first == best_score.first) {
      best.is_clear = false;
    }
  }
  return best;
}

/// With how many of those known a candidate occurs.
uint32_t Completion::agreement(uint32_t candidate, const Bits& known) const {
  int count = 0;
  for (size_t i = 0; i < words_; ++i) count += std::popcount(together_[candidate][i] & known[i]);
  return static_cast<uint32_t>(count);
}

}  // namespace

Adjacency complete_parts(const TypeTable& table, const AmbiguousNames& names, const Reach& reach,
                         const Adjacency& parts) {
  return Completion(table, names, reach, parts).run();
}

}  // namespace bpflink
