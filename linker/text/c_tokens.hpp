// The tokens of C, as far as searches for names need them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace bpflink {

inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

inline bool is_word(char c) {
  return is_letter(c) || is_digit(c) || c == '_';
}

/// The end of what begins at `begin`: a word, a string, a comment, a line of the preprocessor, or
/// one other character.
inline size_t token_end(std::string_view text, size_t begin) {
  auto behind = [&](std::string_view end) {
    return std::min(text.find(end, begin + 1), text.size() - end.size()) + end.size();
  };
  size_t end = begin + 1;
  if (text[begin] == '#' || text.substr(begin).starts_with("//")) return behind("\n");
  if (text.substr(begin).starts_with("/*")) return behind("*/");
  if (text[begin] == '"' || text[begin] == '\'') {
    while (end < text.size() && text[end] != text[begin]) end += text[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text.size());
  }
  if (is_word(text[begin]))
    while (end < text.size() && is_word(text[end])) ++end;
  return end;
}

/// Calls `visit` with each token, and with white space, character by character.
template <class Visit>
void for_each_token(std::string_view text, Visit&& visit) {
  for (size_t i = 0; i < text.size();) {
    size_t end = token_end(text, i);
    visit(text.substr(i, end - i));
    i = end;
  }
}

}  // namespace bpflink
