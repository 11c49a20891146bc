// SHA-256 (FIPS 180-4), for names that hostile inputs must not share. XXH3 is made for speed:
// collisions can be computed. A library would be one more that every program, also a static one,
// has to be linked with.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace bpflink {

using Sha256Digest = std::array<std::byte, 32>;

/// A digest as sha256sum prints it.
std::string hex_of(const Sha256Digest& digest);

class Sha256 {
 public:
  void add(std::span<const std::byte> bytes);
  /// The digest of all bytes. Nothing may be added any more.
  Sha256Digest finish();

 private:
  static constexpr size_t block_size = 64;

  void add_block(const std::byte* block);

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, block_size> rest_;  ///< the bytes behind the last whole block
  uint64_t size_ = 0;                       ///< of all bytes
};

}  // namespace bpflink
