// A page for browsers that shows a report, whole: it needs no other file.
#pragma once

#include <string>
#include <string_view>

namespace bpflink {

/// Puts a report in JSON between the two parts of a page that make_page() of cmake/MakePage.cmake
/// made.
inline std::string put_into_page(std::string_view before, std::string_view json,
                                 std::string_view after) {
  std::string page(before);
  for (char c : json) {
    if (c == '<')
      page += "\\u003c";  // no name may end the element that the report stands in
    else
      page += c;
  }
  return page.append(after);
}

}  // namespace bpflink
