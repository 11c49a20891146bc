#include "linker/text/demangle.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

namespace bpflink {

namespace {

constexpr size_t max_text = 1000;  ///< a longer name helps nobody

/// Whether a mangled name is also short in C++. Each reference to an earlier part of the name (S_,
/// S0_, T_) may double it. The demangler is recursive and has no limits of its own.
bool is_short(std::string_view name) {
  constexpr size_t max_length = 500;
  constexpr int max_references = 12;
  int references = 0;
  for (size_t i = 0; i + 1 < name.size(); ++i)
    if ((name[i] == 'S' || name[i] == 'T') &&
        (name[i + 1] == '_' || std::isdigit(static_cast<unsigned char>(name[i + 1])) ||
         std::isupper(static_cast<unsigned char>(name[i + 1]))))
      ++references;
  return name.size() <= max_length && references <= max_references;
}

}  // namespace

std::string demangle(std::string_view name) {
  if (!name.starts_with("_Z") || !is_short(name)) return "";
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), std::free);
  return text && std::strlen(text.get()) <= max_text ? text.get() : "";
}

std::string find_cpp_definition(const ObjectFile& object, std::string_view name) {
  std::string prefix = fmt::format("_Z{}{}", name.size(), name);
  for (const InputSymbol& symbol : object.symbols) {
    if (symbol.is_local() || !symbol.is_defined() || !symbol.name.starts_with(prefix)) continue;
    std::string text = demangle(symbol.name);
    if (text.starts_with(fmt::format("{}(", name))) return text;
  }
  return "";
}

std::vector<std::string> describe_cpp_definition(std::string_view object,
                                                 std::string_view definition) {
  return {fmt::format("{} defines it as C++: {}", object, definition),
          "if C uses it, declare it extern \"C\" in C++"};
}

// Rust. The legacy form is C++'s with a hash as the last name: _ZN4core3fmt5write17h<16 digits>E.
// Characters that C++ names cannot have are spelled between dollars. The v0 form is that of Rust's
// RFC 2603, of which this reads paths only: N and a letter for each step, C for the crate, then the
// names.

namespace {

/// Removes a name such as "4core" from the front of `text`; `separator` may precede the name.
std::optional<std::string_view> take_name(std::string_view& text, std::string_view separator) {
  size_t length = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (error != std::errc() || length == 0) return std::nullopt;
  text.remove_prefix(end - text.data());
  if (text.starts_with(separator)) text.remove_prefix(separator.size());
  if (length > text.size()) return std::nullopt;
  std::string_view name = text.substr(0, length);
  text.remove_prefix(length);
  return name;
}

bool is_hash(std::string_view name) {
  return name.size() == 17 && name[0] == 'h' &&
         name.find_first_not_of("0123456789abcdef", 1) == std::string_view::npos;
}

/// The character that a word between dollars stands for; "$u7b$" gives it by number.
std::optional<std::string> unescape(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, char>, 8> words = {{{"SP", '@'},
                                                                       {"BP", '*'},
                                                                       {"RF", '&'},
                                                                       {"LT", '<'},
                                                                       {"GT", '>'},
                                                                       {"LP", '('},
                                                                       {"RP", ')'},
                                                                       {"C", ','}}};
  for (auto [name, letter] : words)
    if (word == name) return std::string(1, letter);
  unsigned code = 0;
  if (!word.starts_with('u')) return std::nullopt;
  auto [end, error] = std::from_chars(word.data() + 1, word.data() + word.size(), code, 16);
  if (error != std::errc() || end != word.data() + word.size() || code < ' ' || code > '~')
    return std::nullopt;
  return std::string(1, static_cast<char>(code));
}

std::string plain_name(std::string_view name) {
  std::string plain;
  if (name.starts_with("_$")) name.remove_prefix(1);
  while (!name.empty()) {
    size_t end = name[0] == '$' ? name.find('$', 1) : std::string_view::npos;
    auto text = end == std::string_view::npos ? std::nullopt : unescape(name.substr(1, end - 1));
    if (text) {
      plain += *text;
      name.remove_prefix(end + 1);
    } else if (name.starts_with("..")) {
      plain += "::";
      name.remove_prefix(2);
    } else {
      plain += name[0];
      name.remove_prefix(1);
    }
  }
  return plain;
}

std::optional<std::string> legacy_name(std::string_view text) {
  std::string path;
  while (auto name = take_name(text, "")) {
    if (is_hash(*name) && text.starts_with('E') && !path.empty()) return path;
    if (!path.empty()) path += "::";
    path += plain_name(*name);
  }
  return std::nullopt;
}

/// Skips the part that distinguishes crates or closures of one name, "s1a_".
void skip_disambiguator(std::string_view& text) {
  size_t end = text.starts_with('s') ? text.find('_') : std::string_view::npos;
  if (end != std::string_view::npos) text.remove_prefix(end + 1);
}

std::string v0_name(std::string_view text) {
  size_t steps = 0;
  for (; text.size() > 2 && text[0] == 'N'; ++steps) text.remove_prefix(2);
  if (!text.starts_with('C')) return "";
  text.remove_prefix(1);
  std::string path;
  for (size_t i = 0; i <= steps; ++i) {
    skip_disambiguator(text);
    auto name = take_name(text, "_");
    if (!name) return "";
    if (!path.empty()) path += "::";
    path += *name;
  }
  return path;
}

}  // namespace

std::optional<std::string> rust_name(std::string_view symbol) {
  if (symbol.starts_with("_ZN")) return legacy_name(symbol.substr(3));
  if (symbol.size() > 2 && symbol.starts_with("_R") &&
      std::string_view("NCMXYIB").find(symbol[2]) != std::string_view::npos)
    return v0_name(symbol.substr(2));
  return std::nullopt;
}

}  // namespace bpflink
