// The text of a diagnostic: its first line, its source line, and one or two ">>>" lines for each
// reference, worded by its role (class Details).
#include "linker/text/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "dedup/for_linker.hpp"
#include "dedup/messages.hpp"

namespace bpflink {
namespace {

constexpr std::string_view red = "\033[1;31m", magenta = "\033[1;35m", green = "\033[1;32m",
                           bold = "\033[1m", plain = "\033[0m";

/// A longer line is generated and would not help a reader.
constexpr size_t longest_line = 240;

/// Names of DiagnosticCode, in its order.
constexpr std::string_view code_names[] = {
    "general",          "invalid-input",     "input-mismatch", "undefined-symbol",
    "duplicate-symbol", "conflicting-types", "output-failure", "trace",
    "dropped",          "different-layouts", "not-loadable",   "not-openable"};

nlohmann::ordered_json location_to_json(const DiagnosticLocation& location) {
  nlohmann::ordered_json json{{"object", location.object}};
  if (!location.section.empty()) {
    json["section"] = location.section;
    json["offset"] = location.offset;
  }
  if (!location.source.empty()) {
    json["source"] = location.source;
    json["line"] = location.line;
    json["column"] = location.column;
    if (!location.text.empty()) json["text"] = location.text;
  }
  return json;
}

/// "main.bpf.c:42", or "" if unknown.
std::string source_line(const DiagnosticLocation& place) {
  return place.line == 0 ? "" : fmt::format("{}:{}", place.source, place.line);
}

/// "main.o:(xdp+0x18)", or the known part of it.
std::string object_place(const DiagnosticLocation& place) {
  if (place.section.empty()) return place.object;
  return fmt::format("{}:({}+{:#x})", place.object, place.section, place.offset);
}

/// The lines below the message, each after ">>>".
class Details {
 public:
  std::vector<std::string> lines;

  void add(const DiagnosticReference& reference) {
    const DiagnosticLocation& place = reference.location;
    const std::string& text = reference.text;
    bool is_use = reference.role == ReferenceRole::ReferencedBy;
    if (reference.more != 0)
      return is_use ? add_line("referenced {}", count_of(reference.more, "more time"))
                    : add_line("and {} more", reference.more);
    std::string source = source_line(place);
    switch (reference.role) {
      case ReferenceRole::Subject:
        return;
      case ReferenceRole::DefinedAt:
        return add_place("defined at", place);
      case ReferenceRole::ReferencedBy:
        return add_place("referenced by", place);
      case ReferenceRole::Definition:
      case ReferenceRole::Declaration:
        add_text(text);
        return add_line(
            "    {} in {}", reference.role == ReferenceRole::Definition ? "defined" : "declared",
            source.empty() ? object_place(place) : fmt::format("{} ({})", source, place.object));
      case ReferenceRole::Occurrence:
        return add_line("{}{}in {}", text, text.empty() ? "" : " ",
                        source.empty() ? object_place(place) : source);
      case ReferenceRole::Layout:
        add_text(text);
        return add_line("    in {}", place.object);
      case ReferenceRole::DiffersAt:
        return add_line("they differ at {}", text);
      case ReferenceRole::Side:
        return add_line("    {}: {}", place.object, text);
      case ReferenceRole::MeetsAt:
        return add_line("both are reached through {}", text);
      case ReferenceRole::Note:
      case ReferenceRole::Hint:
        return add_text(text);
    }
  }

 private:
  template <typename... Args>
  void add_line(fmt::format_string<Args...> format, Args&&... args) {
    lines.push_back(">>> " + fmt::format(format, std::forward<Args>(args)...));
  }

  void add_text(std::string_view text) {
    while (!text.empty()) {
      size_t end = std::min(text.find('\n'), text.size());
      add_line("{}", text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  /// The source line, and below it the place in the object; only the place if the line is unknown.
  void add_place(std::string_view what, const DiagnosticLocation& place) {
    if (place.line == 0) return add_line("{} {}", what, object_place(place));
    add_line("{} {}", what, source_line(place));
    add_line("{:{}} {}", "", what.size(), object_place(place));
  }
};

class TextMaker {
 public:
  TextMaker(const Diagnostic& diagnostic, const RenderOptions& options)
      : diagnostic_(diagnostic), options_(options) {
    auto places = places_of(diagnostic);
    bool stands_out = diagnostic.severity != Severity::Note;
    if (stands_out && !places.empty() && places[0]->line != 0) place_ = places[0];
  }

  std::string make() const {
    std::string text = first_line() + '\n';
    if (place_) text += excerpt();
    for (const std::string& line : detail_lines(diagnostic_)) text += printable(line) + '\n';
    return text;
  }

 private:
  std::string painted(std::string_view paint, std::string_view text) const {
    return options_.color ? fmt::format("{}{}{}", paint, text, plain) : std::string(text);
  }

  std::string first_line() const {
    std::string message = printable(diagnostic_.message);
    std::string start = place_ ? position() : fmt::format("{}:", options_.program);
    if (diagnostic_.severity == Severity::Note) return fmt::format("{} {}", start, message);
    bool is_error = diagnostic_.severity == Severity::Error;
    return fmt::format("{} {} {}", painted(bold, start),
                       is_error ? painted(red, "error:") : painted(magenta, "warning:"),
                       painted(bold, message));
  }

  /// "main.bpf.c:42:16:", without the column if unknown.
  std::string position() const {
    std::string line = printable(source_line(*place_));
    return place_->column == 0 ? line + ":" : fmt::format("{}:{}:", line, place_->column);
  }

  /// The line of source, and under it a mark at the column.
  std::string excerpt() const {
    if (place_->text.empty() || place_->text.size() > longest_line) return "";
    std::string line = printable(place_->text);
    std::string text = fmt::format("{:>5} | {}\n", place_->line, line);
    if (place_->column == 0 || place_->column > line.size()) return text;
    // A tab stays a tab, however wide it is shown.
    std::string indent = line.substr(0, place_->column - 1);
    std::ranges::replace_if(
        indent, [](char c) { return c != '\t'; }, ' ');
    return text + fmt::format("      | {}{}\n", indent, painted(green, "^"));
  }

  const Diagnostic& diagnostic_;
  const RenderOptions& options_;
  const DiagnosticLocation* place_ = nullptr;  ///< in the source, for the first line
};

}  // namespace

std::vector<std::string> detail_lines(const Diagnostic& diagnostic) {
  Details details;
  for (const DiagnosticReference& reference : diagnostic.references) details.add(reference);
  return std::move(details.lines);
}

std::vector<const DiagnosticLocation*> places_of(const Diagnostic& diagnostic) {
  std::vector<const DiagnosticLocation*> places;
  for (const DiagnosticReference& reference : diagnostic.references) {
    // These only name the input whose types are shown. Other references have its places.
    bool is_of_types =
        reference.role == ReferenceRole::Layout || reference.role == ReferenceRole::Side;
    if (!is_of_types && !reference.location.object.empty()) places.push_back(&reference.location);
  }
  return places;
}

nlohmann::ordered_json to_json(const Diagnostic& diagnostic) {
  constexpr std::string_view severities[] = {"error", "warning", "note"};
  nlohmann::ordered_json json;
  json["severity"] = severities[static_cast<size_t>(diagnostic.severity)];
  json["code"] = code_names[static_cast<size_t>(diagnostic.code)];
  json["message"] = diagnostic.message;
  if (!diagnostic.file.empty()) json["file"] = diagnostic.file;
  if (!diagnostic.symbol.empty()) json["symbol"] = diagnostic.symbol;
  if (auto lines = detail_lines(diagnostic); !lines.empty()) json["details"] = std::move(lines);
  for (const DiagnosticLocation* location : places_of(diagnostic))
    json["locations"].push_back(location_to_json(*location));
  return json;
}

std::string json_line(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

std::string render(const Diagnostic& diagnostic, const RenderOptions& options) {
  return TextMaker(diagnostic, options).make();
}

}  // namespace bpflink
