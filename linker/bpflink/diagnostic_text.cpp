#include "linker/bpflink/diagnostic_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bpflink {
namespace {

constexpr std::string_view red = "\033[1;31m", magenta = "\033[1;35m", green = "\033[1;32m",
                           bold = "\033[1m", plain = "\033[0m";

/// A longer line was not written by a person, and would not help one.
constexpr size_t longest_line = 240;

/// What comes from an input must not move the cursor.
std::string printable(std::string_view text) {
  std::string shown(text);
  std::ranges::replace_if(
      shown, [](unsigned char c) { return c != '\t' && (c < ' ' || c == 0x7f); }, '?');
  return shown;
}

class TextMaker {
 public:
  TextMaker(std::string_view program, bool color) : program_(program), color_(color) {}

  std::string make(const Diagnostic& diagnostic) const {
    bool stands_out = diagnostic.severity != Severity::Note;
    const DiagnosticLocation* place =
        stands_out && !diagnostic.locations.empty() ? &diagnostic.locations[0] : nullptr;
    if (place && place->line == 0) place = nullptr;
    std::string text;
    if (stands_out)
      text = fmt::format("{} {} {}\n", painted(bold, place ? start_of(*place) : program_ + ":"),
                         kind_of(diagnostic.severity), painted(bold, diagnostic.message));
    else
      text = fmt::format("{}: {}\n", program_, diagnostic.message);
    if (place) text += excerpt_of(*place);
    for (const std::string& line : diagnostic.details) text += line + "\n";
    return text;
  }

 private:
  std::string painted(std::string_view paint, std::string_view text) const {
    return color_ ? fmt::format("{}{}{}", paint, text, plain) : std::string(text);
  }

  std::string kind_of(Severity severity) const {
    return severity == Severity::Error ? painted(red, "error:") : painted(magenta, "warning:");
  }

  /// "main.bpf.c:42:16:", without the column where that is not known.
  static std::string start_of(const DiagnosticLocation& place) {
    std::string source = printable(place.source);
    if (place.column == 0) return fmt::format("{}:{}:", source, place.line);
    return fmt::format("{}:{}:{}:", source, place.line, place.column);
  }

  /// The line of source, and under it a mark at the column.
  std::string excerpt_of(const DiagnosticLocation& place) const {
    if (place.text.empty() || place.text.size() > longest_line) return "";
    std::string line = printable(place.text);
    std::string text = fmt::format("{:>5} | {}\n", place.line, line);
    if (place.column == 0 || place.column > line.size()) return text;
    // Under a tab goes a tab, however wide it is shown.
    std::string indent = line.substr(0, place.column - 1);
    std::ranges::replace_if(
        indent, [](char c) { return c != '\t'; }, ' ');
    return text + fmt::format("      | {}{}\n", indent, painted(green, "^"));
  }

  std::string program_;
  bool color_;
};

}  // namespace

std::string make_text(const Diagnostic& diagnostic, std::string_view program, bool color) {
  return TextMaker(program, color).make(diagnostic);
}

}  // namespace bpflink
