#include "linker/report/dependency_rule.hpp"

#include <fmt/format.h>

#include <cctype>

namespace bpflink {
namespace {

/// Whether ninja accepts the byte in a name, and make and CMake give it no special meaning. Make
/// and ninja mostly accept a backslash, but CMake reads it as a slash; '%' in a rule's target makes
/// a pattern rule of make.
bool is_plain_in_dependencies(char c) {
  constexpr std::string_view plain = "+,/_.-@!()[]{}~";
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & 0x80) != 0 || plain.contains(c);
}

}  // namespace

std::optional<std::string> escape_dependency(std::string_view name) {
  // Make expands '~' to a home directory and drops a blank at the end of a line.
  if (name.starts_with('~') || name.ends_with(' ')) return std::nullopt;
  std::string text;
  for (char c : name) {
    if (c == '$')
      text += '$';
    else if (c == ' ' || c == '#')
      text += '\\';
    else if (!is_plain_in_dependencies(c))
      return std::nullopt;
    text += c;
  }
  return text;
}

std::string make_dependencies(const std::string& output, const std::vector<std::string>& files) {
  auto target = escape_dependency(output);
  if (!target) return "";
  std::string rule = *target + ":", rules_of_files;
  for (const std::string& file : files) {
    auto name = escape_dependency(file);
    if (!name) continue;
    rule += fmt::format(" \\\n  {}", *name);
    rules_of_files += fmt::format("\n{}:\n", *name);
  }
  return rule + "\n" + rules_of_files;
}

}  // namespace bpflink
