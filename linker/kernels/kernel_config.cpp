#include "linker/kernels/kernel_config.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/io/bytes.hpp"
#include "linker/kernels/decompress.hpp"

namespace bpflink {
namespace {

constexpr uint64_t largest_config = 16 << 20;

ConfigValue read_value(std::string_view text) {
  ConfigValue value{.text = text};
  if (text == "y" || text == "m" || text == "n") {
    value.tristate = text[0];
  } else if (text.size() >= 2 && text.starts_with("\"") && text.ends_with("\"")) {
    value.kind = ConfigValue::Kind::Text;
    value.text = text.substr(1, text.size() - 2);
  } else {
    auto number = parse_number(text);
    value.kind = number ? ConfigValue::Kind::Number : ConfigValue::Kind::Text;
    if (number) value.number = *number;
  }
  return value;
}

}  // namespace

std::expected<KernelConfig, Error> KernelConfig::parse(std::span<const std::byte> bytes) {
  OwnedBytes decompressed;
  if (compression_of(bytes) != Compression::None) {
    auto limit = DecompressionLimit::of_kernel(bytes.size(), largest_config);
    auto result = TRY(decompress(bytes, limit));
    decompressed = std::move(result);
    bytes = decompressed.bytes;
  }
  if (bytes.size() > largest_config) return fail("is larger than any kernel configuration");
  KernelConfig config;
  config.text_ = text_of(bytes);
  config.list_options();
  if (config.options_.empty())
    return fail("is not a kernel configuration: it sets no CONFIG_ option");
  return config;
}

/// Lists the lines "CONFIG_NAME=VALUE".
void KernelConfig::list_options() {
  std::string_view text = text_;
  for (size_t at = 0; at < text.size();) {
    std::string_view line = text.substr(at, text.find('\n', at) - at);
    size_t equals = line.find('=');
    if (line.starts_with("CONFIG_") && equals != line.npos)
      options_.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(equals)});
    at += line.size() + 1;
  }
  std::ranges::stable_sort(options_, {}, [&](const Option& option) { return name_of(option); });
}

std::optional<ConfigValue> KernelConfig::find(std::string_view name) const {
  auto found = std::ranges::lower_bound(options_, name, {},
                                        [&](const Option& option) { return name_of(option); });
  if (found == options_.end() || name_of(*found) != name) return std::nullopt;
  size_t at = size_t{found->begin} + found->name_size + 1;
  std::string_view value = std::string_view(text_).substr(at, text_.find('\n', at) - at);
  if (value.ends_with('\r')) value.remove_suffix(1);
  return read_value(value);
}

void KernelConfig::for_each_option(const std::function<void(std::string_view)>& visit) const {
  for (const Option& option : options_) visit(name_of(option));
}

std::optional<uint64_t> parse_number(std::string_view text) {
  bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  bool is_octal = !is_hex && text.size() > 1 && text[0] == '0';
  if (is_hex) text.remove_prefix(2);
  uint64_t number = 0;
  const char *begin = text.data(), *end = begin + text.size();
  auto [rest, error] = std::from_chars(begin, end, number, is_hex ? 16 : is_octal ? 8 : 10);
  if (error != std::errc() || rest != end) return std::nullopt;
  return is_negative ? 0 - number : number;
}

}  // namespace bpflink
