// Bytes and what keeps them: a mapped file or a buffer.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "linker/io/input_file.hpp"

namespace bpflink {

struct OwnedBytes {
  std::shared_ptr<const void> owner{};
  std::span<const std::byte> bytes{};

  static OwnedBytes of(InputFile file) {
    auto owner = std::make_shared<const InputFile>(std::move(file));
    return {owner, owner->bytes()};
  }
  static OwnedBytes of(std::vector<std::byte> buffer) {
    auto owner = std::make_shared<const std::vector<std::byte>>(std::move(buffer));
    return {owner, *owner};
  }
  /// A part of them.
  OwnedBytes part(std::span<const std::byte> some) const { return {owner, some}; }
};

}  // namespace bpflink
