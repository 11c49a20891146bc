// Structs as evidence for which definition a forward declaration stands for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dedup/ambiguity/instances.hpp"
#include "dedup/ambiguity/surroundings.hpp"

namespace bpflink {

/// What is known about the nodes of a graph so far, by node.
struct Knowledge {
  const std::vector<uint32_t>& links;  ///< definitions that declarations stand for
  const std::vector<uint32_t>& colors;
  const std::vector<bool>& settled;  ///< colors are final
  const std::vector<uint64_t>& ranks;
  const Surroundings& surroundings;
};

/// The anchors that each struct mentions: those that it refers to directly or
/// through types without tag.
class Mentions {
 public:
  explicit Mentions(const InstanceGraph& graph);

  /// By node: the definition that structs of the same shape have in place of a
  /// declaration that is not linked, if there is evidence for one.
  std::vector<uint32_t> choose(const Knowledge& known) const;

 private:
  struct Vote;
  class Ballot;

  void add_record(uint32_t node);
  std::span<const uint32_t> of(size_t record) const {
    return std::span(mentioned_).subspan(starts_[record], starts_[record + 1] - starts_[record]);
  }

  const InstanceGraph& graph_;
  std::vector<uint32_t> records_;  ///< structs and unions, ordered by shape
  std::vector<uint32_t> starts_;   ///< of each record's mentions
  std::vector<uint32_t> mentioned_;
  std::vector<uint32_t> stack_;
};

}  // namespace bpflink
