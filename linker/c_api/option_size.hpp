// Options of other versions: a struct that begins with its size.
#pragma once

#include <cstddef>
#include <cstring>
#include <expected>

#include "linker/error.hpp"

namespace bpflink {

/// An error if the options at `options` are too short for their size, or set more than the `known`
/// bytes of this version.
inline std::expected<void, Error> check_size(const void* options, size_t known) {
  size_t size = 0;
  std::memcpy(&size, options, sizeof size);
  if (size < sizeof size) return fail("the size is {}, less than {}", size, sizeof size);
  const auto* bytes = static_cast<const unsigned char*>(options);
  for (size_t i = known; i < size; ++i)
    if (bytes[i] != 0)
      return fail("byte {} is set, which is of a newer version: this one knows {}", i, known);
  return {};
}

}  // namespace bpflink
