// What bpflink-lto and LLVM say, as diagnostics.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "linker/io/paths.hpp"
#include "linker/lto/backend.hpp"
#include "linker/lto/bitcode.hpp"

namespace bpflink::lto {
namespace {

std::optional<uint32_t> take_number(std::string_view& text) {
  uint32_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

/// A place in one of LLVM's messages: "FILE:3:5" and what is before and behind it.
struct FoundPlace {
  std::string_view before, after;
  DiagnosticLocation location;
};

std::optional<FoundPlace> find_place(std::string_view message) {
  for (size_t colon = message.find(':'); colon != message.npos;
       colon = message.find(':', colon + 1)) {
    std::string_view rest = message.substr(colon + 1);
    auto line = take_number(rest);
    if (!line || !rest.starts_with(':')) continue;
    rest.remove_prefix(1);
    auto column = take_number(rest);
    if (!column) continue;
    size_t begin = message.rfind(' ', colon) + 1;
    return FoundPlace{message.substr(0, begin),
                      rest,
                      {.source = path_from_here(message.substr(begin, colon - begin)),
                       .line = *line,
                       .column = *column}};
  }
  return std::nullopt;
}

/// Moves the place out of the text, "b.c:3:5: in function f: ...", and with it nodes of LLVM's,
/// which have addresses: "in function f i32 (ptr): 0x55e0: i64 = ..., b.c:3:5 too many arguments".
DiagnosticLocation take_place(std::string& message) {
  DiagnosticLocation location;
  while (auto place = find_place(message)) {
    size_t node = place->before.find("0x");
    if (!place->before.empty() && node == std::string_view::npos) break;
    std::string_view after = place->after;
    after.remove_prefix(std::min(after.find_first_not_of(": "), after.size()));
    message = std::string(place->before.substr(0, node)).append(after);
    location = std::move(place->location);
  }
  return location;
}

/// The name in "in function many i64 (i64): ..." or "in function f: ...", or "".
std::string_view function_in(std::string_view message) {
  constexpr std::string_view words = "in function ";
  size_t at = message.find(words);
  if (at == message.npos) return {};
  message.remove_prefix(at + words.size());
  return message.substr(0, message.find_first_of(" :,"));
}

/// What such a part says, to stand behind the name of the module.
std::string message_of(const Request& request, const Part& part) {
  std::string message(part.bytes.substr(0, part.bytes.find_last_not_of('\n') + 1));
  // Below a message on assembly are its line and a mark.
  if (message.starts_with("<inline asm>"))
    message.resize(std::min(message.find('\n'), message.size()));
  if (message.contains("Could not find inc")) message += ": assembly in bitcode cannot read files";
  if (part.kind != PartKind::NoLibrary) return message;
  auto producer = producer_of(bytes_of(request.modules[part.module].bitcode));
  return fmt::format("is LLVM bitcode, of {}: {}", producer.value_or("an unknown compiler"),
                     message);
}

}  // namespace

Diagnostic to_diagnostic(const Request& request, const Part& part,
                         const FindFunction& find_function) {
  std::string message = message_of(request, part);
  DiagnosticLocation place = take_place(message);
  std::string_view function_name = function_in(message);
  DiagnosticLocation function =
      function_name.empty() || !find_function ? DiagnosticLocation{} : find_function(function_name);
  if (place.line == 0) place = function;
  std::string name(function.object.empty() ? request.modules[part.module].name : function.object);
  place.object = name;
  Diagnostic diagnostic{
      .severity = part.kind == PartKind::Warning ? Severity::Warning : Severity::Error,
      .message = fmt::format("{}: {}", name, message),
      .code = DiagnosticCode::InvalidInput,
      .file = name};
  if (place.line != 0)
    diagnostic.references.push_back({ReferenceRole::Subject, std::move(place), {}, 0});
  return diagnostic;
}

}  // namespace bpflink::lto
