// What of the inputs' .BTF the output has not from them.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/dedup.hpp"

namespace bpflink {

/// Bytes of a .BTF that were dropped for one reason.
struct DroppedBtf {
  const char* reason;
  uint64_t bytes;
};

/// Says of one input after another what of it was dropped. What is not is in the output once: the
/// inputs' sizes less all that was dropped are the output's size less what was made for it.
class MergedBtf {
 public:
  /// `output` is the reading of a blob of `size` bytes; it must outlive this.
  MergedBtf(const Btf& output, uint64_t size);

  /// Of the next input, a blob of `size` bytes whose types became those of the output that `map`
  /// gives. By reason; nothing has 0 bytes.
  std::vector<DroppedBtf> add(const Btf& input, uint64_t size, const TypeMap& map);

 private:
  struct Bytes {
    uint64_t equal = 0;     ///< to what came before
    uint64_t unneeded = 0;  ///< omitted, or made anew
  };

  Bytes add_types(const Btf& input, const TypeMap& map);
  Bytes add_strings(const Btf& input);
  uint64_t add_header(const Btf& input, uint64_t size);

  const Btf& output_;
  uint64_t header_;                ///< of the output; 0 when an input has given it
  std::vector<bool> known_types_;  ///< by id of the output: an input has given it
  std::unordered_map<std::string_view, bool> strings_;  ///< of the output; whether one has given it
};

}  // namespace bpflink
