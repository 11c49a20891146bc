// Two inputs of a target in one file: the choice of options, then the size of the first input, the
// first and the second.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "tests/fuzz/elf_image.hpp"

namespace bpflink::fuzz {

struct Pair {
  static constexpr size_t HEADER = 8;
  uint32_t choices = 0;  ///< bits that select the target's options
  std::span<const uint8_t> first, second;

  static Pair read(std::span<const uint8_t> file) {
    Pair pair;
    if (file.size() < HEADER) return pair;
    uint32_t size;
    std::memcpy(&pair.choices, file.data(), sizeof pair.choices);
    std::memcpy(&size, &file[4], sizeof size);
    auto rest = file.subspan(HEADER);
    if (size > rest.size()) size = static_cast<uint32_t>(rest.size());
    pair.first = rest.first(size);
    pair.second = rest.subspan(size);
    return pair;
  }

  static Bytes write(uint32_t choices, const Bytes& first, const Bytes& second) {
    auto size = static_cast<uint32_t>(first.size());
    Bytes file(HEADER);
    std::memcpy(file.data(), &choices, sizeof choices);
    std::memcpy(&file[4], &size, sizeof size);
    file.insert(file.end(), first.begin(), first.end());
    file.insert(file.end(), second.begin(), second.end());
    return file;
  }
};

}  // namespace bpflink::fuzz
