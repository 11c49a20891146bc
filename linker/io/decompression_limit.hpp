// The limit of what compressed bytes may become.
#pragma once

#include <algorithm>
#include <cstdint>

namespace bpflink {

/// How many bytes a file may decompress to. Containers may be in containers, so that a few hundred
/// bytes would become any number; and sections may share their bytes. So all that is in a file
/// takes from one limit, which follows from the file's size.
class DecompressionLimit {
 public:
  /// For a kernel, module or configuration, which shrinks to a fifth or a tenth: 100 times the size
  /// of the file and 256 KiB, but not more than `most`.
  static DecompressionLimit of_kernel(uint64_t file_size, uint64_t most = uint64_t{1} << 30) {
    constexpr uint64_t always = 256 << 10;
    return DecompressionLimit(std::min(most, always + usual_ratio * file_size));
  }
  /// For the DWARF of an object. Of zeros, zlib leaves a thousandth.
  static DecompressionLimit of_object(uint64_t file_size) {
    constexpr uint64_t always = 128 << 20, max_ratio = 1100;
    return DecompressionLimit(std::min(max_ratio * file_size, always + usual_ratio * file_size));
  }
  /// For DWARF that BTF is made of, which takes 50 bytes of memory for one. Of what compilers
  /// write, a third to a tenth is left.
  static DecompressionLimit of_types(uint64_t file_size) {
    constexpr uint64_t always = 1 << 20, max_ratio = 20;
    return DecompressionLimit(always + max_ratio * file_size);
  }
  explicit DecompressionLimit(uint64_t bytes) : left_(bytes) {}

  uint64_t left() const { return left_; }
  void take(uint64_t bytes) { left_ -= std::min(bytes, left_); }

 private:
  static constexpr uint64_t usual_ratio = 100;

  uint64_t left_;
};

}  // namespace bpflink
