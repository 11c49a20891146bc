// Makes names and text of inputs harmless to a terminal.
#pragma once

#include <string>
#include <string_view>

namespace bpflink {

/// One line of text with a '?' for each byte of a control character: ASCII's except the tab, and
/// U+0080 to U+009F in UTF-8.
std::string printable(std::string_view line);

/// The same for several lines of text, keeping line breaks.
std::string printable_lines(std::string_view text);

}  // namespace bpflink
