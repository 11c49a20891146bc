#include "linker/io/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace bpflink {
namespace {

/// The first 32 bits behind the point in the cube roots of the first 64 primes.
constexpr std::array<uint32_t, 64> round_constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/// A number between its order in the host's memory and the big-endian one.
template <typename T>
T swapped(T number) {
  return std::endian::native == std::endian::big ? number : std::byteswap(number);
}

}  // namespace

std::string hex_of(const Sha256Digest& digest) {
  std::string hex;
  for (std::byte byte : digest) hex += fmt::format("{:02x}", byte);
  return hex;
}

void Sha256::add(std::span<const std::byte> bytes) {
  size_t used = size_ % block_size;
  size_ += bytes.size();
  if (used != 0) {
    size_t count = std::min(bytes.size(), block_size - used);
    std::ranges::copy(bytes.first(count), rest_.begin() + static_cast<ptrdiff_t>(used));
    bytes = bytes.subspan(count);
    if (used + count < block_size) return;
    add_block(rest_.data());
  }
  for (; bytes.size() >= block_size; bytes = bytes.subspan(block_size)) add_block(bytes.data());
  std::ranges::copy(bytes, rest_.begin());
}

void Sha256::add_block(const std::byte* block) {
  std::array<uint32_t, 64> words;
  std::memcpy(words.data(), block, block_size);
  for (size_t i = 0; i < 16; ++i) words[i] = swapped(words[i]);
  for (size_t i = 16; i < 64; ++i) {
    uint32_t early = words[i - 15], late = words[i - 2];
    words[i] = words[i - 16] + (std::rotr(early, 7) ^ std::rotr(early, 18) ^ early >> 3) +
               words[i - 7] + (std::rotr(late, 17) ^ std::rotr(late, 19) ^ late >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (size_t i = 0; i < 64; ++i) {
    uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                     ((e & f) ^ (~e & g)) + round_constants[i] + words[i];
    uint32_t second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
  }
  const std::array<uint32_t, 8> added = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < added.size(); ++i) state_[i] += added[i];
}

Sha256Digest Sha256::finish() {
  const uint64_t bits = swapped(size_ * 8);
  // A one, zeros up to 8 bytes before the end of a block, and the number of bits
  std::array<std::byte, 2 * block_size> padding{std::byte{0x80}};
  size_t zeros = (2 * block_size - 9 - size_ % block_size) % block_size;
  std::memcpy(&padding[zeros + 1], &bits, sizeof bits);
  add(std::span(padding).first(zeros + 9));
  for (uint32_t& word : state_) word = swapped(word);
  return std::bit_cast<Sha256Digest>(state_);
}

}  // namespace bpflink
