// Builds a model from nodes and references: finds chains and dominators, and sums up bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "linker/report/model.hpp"

namespace bpflink {

class ModelBuilder {
 public:
  explicit ModelBuilder(OutputModel& output) : model(output) { add(0, "", "", 0); }

  OutputModel& model;

  /// Adds a section and returns its index. Bytes of no node become a node of kind `rest`.
  uint32_t add_section(std::string name, std::string_view kind, uint64_t bytes,
                       std::string_view rest = "padding");
  /// Makes room for nodes, of which there are many.
  void reserve(size_t nodes) {
    nodes_.reserve(nodes);
    wrapped_.reserve(nodes);
  }
  /// Adds a node and returns its number here. finish() changes the numbers.
  uint32_t add(uint32_t section, std::string_view kind, std::string_view name, uint64_t bytes,
               uint32_t input = no_node);
  Node& operator[](uint32_t node) { return nodes_[node]; }
  /// A node without a name is shown with the node that brings it in. If several do, a wrapper, such
  /// as a pointer, is shown with the node that it wraps. `wrapped` is no_node for a wrapper of
  /// nothing (void), and `node` itself for a node that is not a wrapper.
  void set_unnamed(uint32_t node, uint32_t wrapped) { wrapped_[node] = wrapped; }
  /// Adds a reference, through a member if that has a name. Does nothing if a node is no_node.
  void refer(uint32_t from, uint32_t to, std::string_view member = {}) {
    if (from != no_node && to != no_node) references_.push_back({from, to, member});
  }

  /// Fills in the model's nodes, references, inputs and categories. Returns the number of each node
  /// in the model.
  std::vector<uint32_t> finish();

 private:
  struct Reference {
    uint32_t from, to;
    std::string_view member;
  };

  void add_rests();
  void find_roots();
  void find_chains();
  void find_programs();
  void attach_unnamed();
  void emit_nodes();
  void emit_chains();
  std::string_view chain_start(uint32_t node, uint32_t first) const;
  void emit_uses();
  void sum_up();

  std::vector<std::string_view> rest_;  ///< by section
  std::vector<Reference> references_;

  // By node:
  std::vector<Node> nodes_;
  std::vector<uint32_t> wrapped_;  ///< as in set_unnamed(); 0 for a node with a name
  std::vector<uint32_t> dominators_;
  std::vector<uint32_t> reached_from_;    ///< the node before it on its chain
  std::vector<std::string_view> member_;  ///< in the last step of its chain
  std::vector<uint32_t> shown_as_;        ///< the node that it is shown with, perhaps itself
  std::vector<uint32_t> number_;          ///< in the model
  std::vector<bool> is_needed_;           ///< others refer to it

  Graph graph_;
  std::vector<uint32_t> order_;  ///< the nodes, each behind those on its chain
};

/// By node: its immediate dominator, the nearest other node that all ways from node 0 to it pass
/// through. 0 for node 0. Every node must be reachable from node 0.
std::vector<uint32_t> find_dominators(const Graph& graph);

}  // namespace bpflink
