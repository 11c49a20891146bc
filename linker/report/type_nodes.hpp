// The types of a .BTF section as nodes of a model.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/dedup.hpp"
#include "linker/report/model_builder.hpp"

namespace bpflink {

/// Calls `visit(begin, string)` for each string of a section of strings, with its NUL.
template <typename Visit>
void for_each_whole_string(std::string_view strings, Visit visit) {
  for (size_t begin = 0, end; begin < strings.size(); begin = end) {
    end = std::min(strings.find('\0', begin), strings.size() - 1) + 1;
    visit(begin, strings.substr(begin, end - begin));
  }
}

/// The bytes of a blob of `size` bytes that are neither types nor strings.
inline uint64_t header_size(const BtfView& btf, uint64_t size) {
  return size - btf.strings().size() - btf.words().size_bytes();
}

/// A string counts with the first type that uses it. Strings that only other sections use are nodes
/// of their own.
class TypeNodes {
 public:
  /// Adds the nodes of all types of a blob of `size` bytes, which is that section of `builder`.
  /// `btf` and `builder` must outlive this, and `btf` the builder's work.
  TypeNodes(const BtfView& btf, uint64_t size, uint32_t section, ModelBuilder& builder);

  /// no_node for void and for types of a base.
  uint32_t node_of(uint32_t type_id) const {
    return type_id < btf_.first_id() ? no_node : first_node_ + type_id - btf_.first_id();
  }
  /// Sets the input of the types that are from a blob of `size` bytes; if asked, adds what the
  /// output does not have of it to OutputModel::dropped. `index` is that in OutputModel::inputs,
  /// `map` gives the ids of the blob's types in the output. Inputs come in order. All inputs less
  /// all that was dropped are the output less what was made for it.
  void add_input(uint32_t index, const BtfView& input, uint64_t size, const TypeMap& map,
                 bool lists_dropped);
  /// The node of a string that another section uses, made at the first call; no_node if a type has
  /// the string.
  uint32_t add_string(uint32_t offset, std::string_view kind);
  /// Adds the strings that nothing uses. Call it after add_string() for all others.
  void finish();

 private:
  struct DroppedBytes {
    uint64_t equal = 0;     ///< to those of earlier inputs
    uint64_t unneeded = 0;  ///< omitted, or made anew
  };

  void add_references(uint32_t id);
  void find_owners();
  DroppedBytes add_types_of(uint32_t index, const BtfView& input, const TypeMap& map);
  void begin_strings();
  DroppedBytes add_strings_of(const BtfView& input);

  BtfView btf_;
  uint32_t section_;
  ModelBuilder& builder_;
  uint32_t first_node_ = 0;
  std::vector<uint32_t> owner_;  ///< by byte of the strings: the node that the string counts with
  std::unordered_map<std::string_view, bool> has_input_;  ///< by string; true if a base has it
  uint64_t header_;                                       ///< its bytes; 0 once an input has it
};

}  // namespace bpflink
