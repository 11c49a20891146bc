#include "linker/skeleton/text.hpp"

#include <algorithm>
#include <unordered_set>

#include "linker/error.hpp"
#include "linker/text/c_tokens.hpp"

namespace bpflink {

namespace {

/// Bytes of escapes after which a line of an image ends.
constexpr size_t line_length = 90;

/// Keywords of C++ and its words for operators that C does not have. BTF has no type of these
/// names.
constexpr std::string_view cpp_keywords[] = {
    "and",        "and_eq",      "bitand",   "bitor",     "catch",    "class",
    "co_await",   "co_return",   "co_yield", "compl",     "concept",  "consteval",
    "const_cast", "constinit",   "decltype", "delete",    "explicit", "dynamic_cast",
    "export",     "friend",      "mutable",  "namespace", "new",      "noexcept",
    "not",        "not_eq",      "operator", "or",        "or_eq",    "private",
    "protected",  "public",      "requires", "template",  "this",     "reinterpret_cast",
    "throw",      "static_cast", "try",      "typeid",    "typename", "using",
    "virtual",    "xor",         "xor_eq"};

/// Keywords of C23, and macros of compilers and of what the header includes.
constexpr std::string_view c_keywords[] = {
    "alignas", "alignof",       "constexpr",    "false", "linux",        "nullptr",
    "true",    "static_assert", "thread_local", "unix",  "typeof_unqual"};

constexpr std::string_view definition_text = R"(
/* A name that C++ reserves; there, it has a trailing $suffix. */
#ifdef __cplusplus
#define $macro(name) name##$suffix
#else
#define $macro(name) name
#endif
)";

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

std::string quoted_in_rust(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c >= ' ' && c <= '~' ? c : '_';
  }
  return result + '"';
}

std::vector<ImageRun> split_image(std::span<const std::byte> image) {
  constexpr std::ptrdiff_t least = 1 << 12;  // fewer are not worth an array of their own
  std::vector<ImageRun> runs;
  auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  for (auto begin = image.begin(); begin != image.end();) {
    auto zeros = begin, end = begin;
    do {
      zeros = std::find_if(end, image.end(), is_zero);
      end = std::find_if_not(zeros, image.end(), is_zero);
    } while (end != image.end() && end - zeros < least);
    if (end - zeros < least) zeros = end;
    runs.push_back({{begin, zeros}, static_cast<size_t>(end - zeros)});
    begin = end;
  }
  return runs;
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

bool is_among(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

bool is_reserved_in_c(std::string_view name) {
  return is_among(name, c_keywords);
}

std::string spell_for_cpp(std::string_view name, std::string_view macro) {
  return is_among(name, cpp_keywords) ? fmt::format("{}({})", macro, name) : std::string(name);
}

std::string avoid_reserved_names(std::string_view text, std::string_view macro) {
  std::unordered_set<std::string> words, reserved;
  for_each_token(text, [&](std::string_view token) {
    if (!is_word(token[0])) return;
    words.emplace(token);
    if (is_among(token, cpp_keywords) || is_reserved_in_c(token)) reserved.emplace(token);
  });
  std::string suffix = "_";
  while (std::ranges::any_of(
      reserved, [&](const std::string& name) { return words.contains(name + suffix); }))
    suffix += '_';

  std::string result;
  for_each_token(text, [&](std::string_view token) {
    result += token == "_Bool" ? "bool" : spell_for_cpp(token, macro);
    if (is_reserved_in_c(token)) result += suffix;
  });
  bool is_macro_used = result.find(macro) != result.npos;
  std::string definition =
      fill_in(definition_text, {{"macro", std::string(macro)}, {"suffix", suffix}});
  constexpr std::string_view place = "$names";
  return result.replace(result.find(place), place.size(), is_macro_used ? definition : "");
}

}  // namespace bpflink
