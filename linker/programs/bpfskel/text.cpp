#include "linker/programs/bpfskel/text.hpp"

#include <algorithm>

#include "linker/error.hpp"

namespace bpflink {

namespace {

/// Bytes of escapes after which a line of an image ends.
constexpr size_t line_length = 90;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::string fill_in(std::string_view text,
                    const std::vector<std::pair<std::string_view, std::string>>& values) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    size_t dollar = std::min(text.find('$', i), text.size());
    result += text.substr(i, dollar - i);
    if (dollar == text.size()) break;
    size_t end = dollar + 1;
    while (end < text.size() && is_letter(text[end])) ++end;
    std::string_view key = text.substr(dollar + 1, end - dollar - 1);
    auto found = std::ranges::find(values, key, [](const auto& value) { return value.first; });
    result += found == values.end() ? text.substr(dollar, end - dollar) : found->second;
    i = end;
  }
  return result;
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c >= ' ' && c <= '~' ? c : '?';
  }
  return result + '"';
}

std::string c_escapes(std::span<const std::byte> bytes) {
  constexpr std::string_view letters = "btnvfr";
  std::string result;
  size_t line = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (result.size() - line >= line_length) {
      result += "\\\n";
      line = result.size();
    }
    auto byte = static_cast<unsigned char>(bytes[i]);
    bool before_digit = i + 1 < bytes.size() && is_digit(static_cast<char>(bytes[i + 1]));
    if (byte == '"' || byte == '\\' || (byte == '?' && result.ends_with('?')))
      result += {'\\', static_cast<char>(byte)};
    else if (byte >= ' ' && byte <= '~')
      result += static_cast<char>(byte);
    else if (byte >= '\b' && byte <= '\r')
      result += {'\\', letters[byte - '\b']};
    else
      result += fmt::format("\\{:0{}o}", byte, before_digit ? 3 : 1);
  }
  return result;
}

std::string rust_escapes(std::span<const std::byte> bytes) {
  std::string result;
  size_t line = 0;
  for (std::byte value : bytes) {
    // Rust skips white space at the beginning of a continued line.
    if (result.size() - line >= line_length && value != std::byte{' '}) {
      result += "\\\n";
      line = result.size();
    }
    auto byte = static_cast<unsigned char>(value);
    if (byte == '"' || byte == '\\')
      result += {'\\', static_cast<char>(byte)};
    else if (byte >= ' ' && byte <= '~')
      result += static_cast<char>(byte);
    else
      result += byte == 0 ? "\\0" : fmt::format("\\x{:02x}", byte);
  }
  return result;
}

}  // namespace bpflink
