#include "text.hpp"

#include <algorithm>
#include <cctype>

namespace {

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c));
}

constexpr size_t BYTES_PER_LINE = 24;

}  // namespace

std::string fill_in(std::string_view text,
                    const std::vector<std::pair<std::string_view, std::string>>& values) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    if (text[i] != '$') {
      result += text[i++];
      continue;
    }
    size_t end = i + 1;
    while (end < text.size() && is_letter(text[end])) end++;
    std::string_view key = text.substr(i + 1, end - i - 1);
    auto found = std::ranges::find(values, key, [](const auto& value) { return value.first; });
    result += found == values.end() ? text.substr(i, end - i) : found->second;
    i = end;
  }
  return result;
}

std::string identifier(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0]))) result.insert(result.begin(), '_');
  return result;
}

std::string string_literal(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  for (size_t i = 0; i < bytes.size(); i++) {
    if (i % BYTES_PER_LINE == 0) result += i == 0 ? "\t\t\"" : "\"\n\t\t\"";
    auto byte = static_cast<unsigned char>(bytes[i]);
    result += "\\x";
    result += digits[byte >> 4];
    result += digits[byte & 15];
  }
  return result + "\"";
}
