// The types of a .BTF section as nodes of a model.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "bpflink/btf.hpp"
#include "linker/report/model_builder.hpp"

namespace bpflink {

/// The kind of a type as a node's kind: "struct", "typedef", "function type".
std::string_view name_of_kind(BtfType type);

/// A string counts with the first type that uses it. Strings that only other sections use are nodes
/// of their own.
class TypeNodes {
 public:
  /// Adds the nodes of all types of a blob of `size` bytes, which is that section of `builder`.
  /// Both must outlive this, and this the builder's work.
  TypeNodes(const BtfView& btf, uint64_t size, uint32_t section, ModelBuilder& builder);

  /// no_node for void and for types of a base.
  uint32_t node_of(uint32_t type_id) const {
    return type_id < btf_.first_id() ? no_node : first_node_ + type_id - btf_.first_id();
  }
  /// Sets the input of each type, by id, to MergedBtf::origins().
  void set_origins(const std::vector<uint32_t>& origins);
  /// The node of a string that another section uses, made at the first call; no_node if a type has
  /// the string.
  uint32_t add_string(uint32_t offset, std::string_view kind);
  /// Adds the strings that nothing uses. To be called after add_string() for all others.
  void finish();

 private:
  void find_owners();
  void visit_edges(uint32_t id);
  void visit_members(uint32_t node,
                     const std::function<void(uint32_t, std::string_view)>& visit) const;

  BtfView btf_;
  uint32_t section_;
  ModelBuilder& builder_;
  uint32_t first_node_ = 0;
  std::vector<uint32_t> owner_;  ///< by byte of the strings: the node that has the string
};

}  // namespace bpflink
