#include "dedup/compare/name_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

namespace bpflink {
namespace {

bool is_lower(char c) {
  return std::islower(static_cast<unsigned char>(c)) != 0;
}

bool is_upper(char c) {
  return std::isupper(static_cast<unsigned char>(c)) != 0;
}

/// The words of a name, in lower case.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  bool is_inside = false;
  for (size_t i = 0; i < name.size(); ++i) {
    if (!is_lower(name[i]) && !is_upper(name[i])) {
      is_inside = false;
      continue;
    }
    // "evMax" is "ev max", and "EVMax" as well.
    bool follows_lower = i != 0 && is_lower(name[i - 1]);
    bool precedes_lower = i + 1 < name.size() && is_lower(name[i + 1]);
    if (!is_inside || (is_upper(name[i]) && (follows_lower || precedes_lower)))
      words.emplace_back();
    is_inside = true;
    words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  }
  return words;
}

template <size_t N>
bool is_one_of(const std::string& word, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

bool names_padding(std::string_view name) {
  constexpr std::array<std::string_view, 2> pads = {"pad", "padding"};
  constexpr std::array<std::string_view, 4> idle = {"reserved", "unused", "rsvd", "resv"};
  std::vector<std::string> words = words_of(name);
  if (words.empty()) return true;
  return is_one_of(words.front(), pads) || is_one_of(words.back(), pads) ||
         std::ranges::all_of(words, [&](const std::string& word) { return is_one_of(word, idle); });
}

bool names_count(std::string_view name) {
  constexpr std::array<std::string_view, 6> counts = {"max", "num", "nr", "count", "last", "end"};
  std::vector<std::string> words = words_of(name);
  return !words.empty() && (is_one_of(words.front(), counts) || is_one_of(words.back(), counts));
}

}  // namespace bpflink
