#include "linker/bpfskel/text.hpp"

#include <algorithm>

namespace bpflink {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
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

std::string hex_escapes(std::span<const std::byte> bytes, size_t per_line,
                        std::string_view separator) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0 && i % per_line == 0) result += separator;
    auto byte = static_cast<unsigned char>(bytes[i]);
    result += "\\x";
    result += digits[byte >> 4];
    result += digits[byte & 15];
  }
  return result;
}

}  // namespace bpflink
