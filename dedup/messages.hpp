// Building errors and the texts of messages, which are harmless to a terminal whatever names an
// input has.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "bpflink/error.hpp"

namespace bpflink {

/// One line of text with a '?' for each byte of a control character: ASCII's except the tab, and
/// U+0080 to U+009F in UTF-8.
std::string printable(std::string_view line);

/// The same for several lines of text, keeping line breaks.
std::string printable_lines(std::string_view text);

/// An error with this text.
inline std::unexpected<Error> fail(std::string message) {
  return std::unexpected(Error{std::move(message)});
}

/// An error with a formatted text.
template <typename First, typename... Args>
std::unexpected<Error> fail(fmt::format_string<First, Args...> format, First&& first,
                            Args&&... args) {
  return fail(fmt::format(format, std::forward<First>(first), std::forward<Args>(args)...));
}

/// A name of an input as lists, tables, messages and reports show it: in one line, and not too
/// long. A thousand types may share one of a megabyte.
inline std::string shown_name(std::string_view name) {
  constexpr size_t longest = 511;  // as the kernel's
  return printable(name.substr(0, longest)).append(name.size() > longest ? "..." : "");
}

/// The word that agrees in number: agree(n, "fits", "fit").
constexpr std::string_view agree(uint64_t count, std::string_view one, std::string_view several) {
  return count == 1 ? one : several;
}

/// "1 byte", "3 bytes": `what` is the singular.
inline std::string count_of(uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, agree(count, "", "s"));
}

/// "a, b and 3 more": at most `most` elements, each as name(element).
template <typename Range, typename Name = std::identity>
std::string list_of(const Range& range, size_t most, Name name = {}) {
  std::string text;
  for (size_t i = 0; i < std::min(range.size(), most); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", std::invoke(name, range[i]));
  if (range.size() > most) text += fmt::format(" and {} more", range.size() - most);
  return text;
}

}  // namespace bpflink
