#include "linker/facts/linux_release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace bpflink {
namespace {

struct Release {
  uint32_t code;
  size_t count;           ///< of its numbers
  uint32_t update;        ///< the third number
  std::string_view rest;  ///< what follows the numbers
};

std::optional<Release> read_release(std::string_view text) {
  constexpr uint32_t limits[] = {UINT16_MAX, UINT8_MAX, UINT32_MAX};
  uint32_t numbers[3] = {};
  const char *at = text.data(), *end = at + text.size();
  size_t i = 0;
  for (; i < 3; ++i) {
    if (i > 0) {
      if (i == 2 && (at == end || *at != '.')) break;
      if (at == end || *at != '.') return std::nullopt;
      ++at;
    }
    auto [next, error] = std::from_chars(at, end, numbers[i]);
    if (error != std::errc() || numbers[i] > limits[i]) return std::nullopt;
    at = next;
  }
  return Release{(numbers[0] << 16) + (numbers[1] << 8) + std::min(numbers[2], 255u), i, numbers[2],
                 text.substr(static_cast<size_t>(at - text.data()))};
}

}  // namespace

std::optional<uint32_t> version_code(std::string_view text) {
  auto release = read_release(text);
  return release ? std::optional(release->code) : std::nullopt;
}

std::string series_of(const std::string& release) {
  auto known = read_release(release);
  return known ? fmt::format("{}.{}", known->code >> 16, known->code >> 8 & 0xff) : release;
}

std::string linux_name(LinuxRelease release) {
  return fmt::format("Linux {}.{}", release.major, release.minor);
}

std::optional<uint16_t> exact_update(std::string_view text) {
  auto release = read_release(text);
  if (!release || release->count != 3 || !release->rest.empty()) return std::nullopt;
  return static_cast<uint16_t>(std::min<uint32_t>(release->update, UINT16_MAX));
}

bool has_three_numbers(std::string_view text) {
  auto release = read_release(text);
  return release && release->count == 3;
}

}  // namespace bpflink
