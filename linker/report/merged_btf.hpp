// Which input each type of the output is from, and what the output has not of the inputs' .BTF.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/dedup.hpp"
#include "linker/report/model.hpp"

namespace bpflink {

/// Takes one input after another. What is not dropped of them is in the output once: the inputs'
/// sizes less all that was dropped are the output's size less what was made for it.
class MergedBtf {
 public:
  /// `output` is the reading of a blob of `size` bytes; it and the model must outlive this.
  MergedBtf(const Btf& output, uint64_t size, OutputModel& model);

  /// Takes the input with an index in OutputModel::inputs, a blob of `size` bytes whose types
  /// became those of the output that `map` gives. Adds to OutputModel::dropped what the output has
  /// not from it.
  void add(uint32_t index, const Btf& input, uint64_t size, const TypeMap& map);

  /// By id of the output: the input that the type is from, or no_node.
  const std::vector<uint32_t>& origins() const { return origins_; }

 private:
  struct Bytes {
    uint64_t equal = 0;     ///< to what came before
    uint64_t unneeded = 0;  ///< omitted, or made anew
  };

  Bytes add_types(uint32_t index, const Btf& input, const TypeMap& map);
  Bytes add_strings(const Btf& input);
  uint64_t add_header(const Btf& input, uint64_t size);

  const Btf& output_;
  uint64_t header_;  ///< of the output; 0 when an input has given it
  std::vector<uint32_t> origins_;
  std::unordered_map<std::string_view, bool> strings_;  ///< of the output; whether one has given it
  OutputModel& model_;
};

}  // namespace bpflink
