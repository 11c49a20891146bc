// Builds a model from nodes and references: finds chains and dominators, and sums up bytes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linker/report/model.hpp"

namespace bpflink {

class ModelBuilder {
 public:
  explicit ModelBuilder(OutputModel& model) : model_(model) { nodes_.push_back({}); }

  /// Adds a section and returns its index. Bytes that no node has become a node of kind `rest`.
  uint32_t add_section(std::string name, std::string_view kind, uint64_t bytes,
                       std::string_view rest = "padding");
  /// Adds a node and returns its number here, which finish() changes.
  uint32_t add(Node node);
  /// A node without a name is shown with the node that brings it in. If several do, a wrapper, such
  /// as a pointer, is shown with the node that it wraps. `wrapped` is no_node for a wrapper of
  /// nothing (void), and `node` itself for a node that is no wrapper.
  void set_unnamed(uint32_t node, uint32_t wrapped) { unnamed_.push_back({node, wrapped}); }
  Node& operator[](uint32_t node) { return nodes_[node]; }
  const Node& operator[](uint32_t node) const { return nodes_[node]; }
  void refer(uint32_t from, uint32_t to) { references_.emplace_back(from, to); }
  /// Calls the second argument with each node that the first one refers to by the name of a member.
  using VisitMembers = std::function<void(
      uint32_t from, const std::function<void(uint32_t to, std::string_view name)>&)>;
  void name_members(VisitMembers visit) { visit_members_ = std::move(visit); }

  /// Fills in the model's nodes, references, inputs and categories. Returns the number in the model
  /// that each node got.
  std::vector<uint32_t> finish();

 private:
  void add_rests();
  void find_roots();
  void find_chains();
  void find_programs();
  void fold();
  void emit_nodes();
  void emit_chains();
  void emit_uses();
  void sum_up();

  struct Unnamed {
    uint32_t node, wrapped;
  };

  OutputModel& model_;
  std::vector<std::string_view> rest_;  ///< by section
  std::vector<Node> nodes_;
  std::vector<std::pair<uint32_t, uint32_t>> references_;
  std::vector<Unnamed> unnamed_;
  VisitMembers visit_members_;

  Graph graph_;
  std::vector<uint32_t> dominators_, part_, number_;
  std::vector<uint32_t> reached_from_, chains_;  ///< of the shortest chains; nodes in their order
  std::vector<std::string_view> member_;         ///< that the last step of each goes through
};

}  // namespace bpflink
