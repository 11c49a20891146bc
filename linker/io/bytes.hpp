// Integers and texts in bytes; integers in either byte order.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace bpflink {

template <typename T>
T load(const std::byte* from, std::endian order) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return order == std::endian::native ? value : std::byteswap(value);
}

template <typename T>
void store(std::byte* to, T value, std::endian order) {
  if (order != std::endian::native) value = std::byteswap(value);
  std::memcpy(to, &value, sizeof value);
}

inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

}  // namespace bpflink
