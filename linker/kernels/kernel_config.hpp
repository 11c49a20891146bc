// A kernel's configuration, in the format of .config and /proc/config.gz.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/error.hpp"

namespace bpflink {

/// The value of an option that is set.
struct ConfigValue {
  enum class Kind : uint8_t { Tristate, Number, Text };
  Kind kind = Kind::Tristate;
  char tristate = 'n';      ///< 'y', 'm' or 'n'
  uint64_t number = 0;      ///< in two's complement if negative
  std::string_view text{};  ///< a string without its quotes; otherwise the value's text
};

/// A whole configuration: an option that is not listed is not set.
class KernelConfig {
 public:
  /// Parses a configuration, which may be compressed. Errors: it is damaged, or lists no option
  /// that begins with CONFIG_.
  static std::expected<KernelConfig, Error> parse(std::span<const std::byte> bytes);

  /// The value of an option such as "CONFIG_BPF"; nothing if it is not set. Valid until this object
  /// moves.
  std::optional<ConfigValue> find(std::string_view option) const;

  /// The whole text, decompressed.
  const std::string& text() const { return text_; }

  /// Calls `visit` with the name of each option that is set. The names are valid until this object
  /// moves.
  void for_each_option(const std::function<void(std::string_view)>& visit) const;

 private:
  /// A line's place in the text.
  struct Option {
    uint32_t begin, name_size;
  };
  void list_options();
  std::string_view name_of(const Option& option) const {
    return std::string_view(text_).substr(option.begin, option.name_size);
  }

  std::string text_;
  std::vector<Option> options_;  ///< by name
};

/// A 64-bit number in C's syntax: 10, 0x1f, 017, -1 (in two's complement).
std::optional<uint64_t> parse_number(std::string_view text);

}  // namespace bpflink
