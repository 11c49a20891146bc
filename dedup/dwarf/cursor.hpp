// Reads numbers and strings of DWARF.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace bpflink {

/// Reads forward from a place. After an error, all further values are 0 or empty.
class DwarfCursor {
 public:
  DwarfCursor(std::span<const std::byte> bytes, uint64_t at, std::endian order)
      : bytes_(bytes), order_(order) {
    skip(at);
  }

  bool is_good() const { return good_; }
  uint64_t at() const { return at_; }
  uint64_t left() const { return bytes_.size() - at_; }

  void fail() {
    good_ = false;
    at_ = bytes_.size();
  }
  void skip(uint64_t count) {
    if (count > left()) return fail();
    at_ += count;
  }
  /// Ends the data `count` bytes from here.
  void end_after(uint64_t count) {
    if (count > left()) return fail();
    bytes_ = bytes_.first(at_ + count);
  }

  /// A number of `size` bytes, at most 8.
  uint64_t take_number(size_t size) {
    switch (size) {
      case 1:
        return take<uint8_t>();
      case 2:
        return take<uint16_t>();
      case 4:
        return take<uint32_t>();
      case 8:
        return take<uint64_t>();
      default:
        return take_odd_number(size);
    }
  }

  /// Unsigned LEB128; bits past the 64th are discarded.
  uint64_t take_uleb() {
    uint64_t value = 0;
    for (uint64_t shift = 0;; shift += 7) {
      uint64_t byte = take<uint8_t>();
      if (shift < 64) value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
  }
  /// Signed LEB128, likewise.
  int64_t take_sleb() {
    uint64_t value = 0;
    for (uint64_t shift = 0;; shift += 7) {
      uint64_t byte = take<uint8_t>();
      if (shift < 64) value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) != 0) continue;
      if (shift + 7 < 64 && (byte & 0x40) != 0) value |= ~uint64_t{0} << (shift + 7);
      return static_cast<int64_t>(value);
    }
  }

  std::string_view take_string() {
    const char* text = reinterpret_cast<const char*>(bytes_.data() + at_);
    const void* end = left() == 0 ? nullptr : std::memchr(text, 0, left());
    if (end == nullptr) {
      fail();
      return {};
    }
    auto size = static_cast<size_t>(static_cast<const char*>(end) - text);
    at_ += size + 1;
    return {text, size};
  }

 private:
  template <class Number>
  uint64_t take() {
    if (sizeof(Number) > left()) {
      fail();
      return 0;
    }
    Number value;
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    if constexpr (sizeof value != 1)
      if (order_ != std::endian::native) value = std::byteswap(value);
    return value;
  }

  uint64_t take_odd_number(size_t size) {
    uint64_t from = at_, value = 0;
    skip(size);
    if (!good_) return 0;
    for (size_t i = 0; i < size; ++i) {
      size_t place = order_ == std::endian::little ? size - 1 - i : i;
      value = value << 8 | std::to_integer<uint64_t>(bytes_[from + place]);
    }
    return value;
  }

  std::span<const std::byte> bytes_;
  std::endian order_;
  uint64_t at_ = 0;
  bool good_ = true;
};

}  // namespace bpflink
