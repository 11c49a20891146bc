// A kernel's configuration, as `make menuconfig` writes it to .config, and as a kernel may show it
// in /proc/config.gz.
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
  uint64_t number = 0;      ///< two's complement of 64 bits of a negative one
  std::string_view text{};  ///< of a string, without its quotes; else as it stands there
};

/// A whole configuration: an option that it does not list is not set.
class KernelConfig {
 public:
  /// Takes the text of a configuration, or what gzip made of it. Errors: it is damaged, or lists no
  /// option that begins with CONFIG_.
  static std::expected<KernelConfig, Error> parse(std::span<const std::byte> bytes);

  /// The value of "CONFIG_BPF"; nothing where it is not set. Valid as long as this does not move.
  std::optional<ConfigValue> find(std::string_view option) const;

  /// Calls `visit` with the name of each option that is set. What it is given is valid as long as
  /// this does not move.
  void for_each_option(const std::function<void(std::string_view)>& visit) const;

 private:
  /// Where a line is in the text.
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

/// A number of 64 bits as C writes it: 10, 0x1f, 017; two's complement of -1.
std::optional<uint64_t> parse_number(std::string_view text);

/// KERNEL_VERSION(a, b, c) of the "a.b.c" that `release` begins with, as <linux/version.h> has it;
/// nothing where it does not.
std::optional<uint32_t> version_code(std::string_view release);

}  // namespace bpflink
