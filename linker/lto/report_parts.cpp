// What bpflink-lto and LLVM say, as diagnostics.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "linker/io/paths.hpp"
#include "linker/lto/backend.hpp"

namespace bpflink::lto {
namespace {

/// Moves the place out of the text, "b.c:3:5: in function f: ...", and with it nodes of LLVM's,
/// which have addresses: "in function f i32 (ptr): 0x55e0: i64 = ..., b.c:3:5 too many arguments".
DiagnosticLocation take_place(std::string& message) {
  DiagnosticLocation location;
  for (size_t at = 0; (at = message.find(':', at) + 1) != 0;) {
    const char* end = message.data() + message.size();
    uint32_t line = 0, column = 0;
    auto read = std::from_chars(message.data() + at, end, line);
    if (read.ec != std::errc() || read.ptr == end || *read.ptr != ':') continue;
    read = std::from_chars(read.ptr + 1, end, column);
    if (read.ec != std::errc()) continue;
    size_t begin = message.rfind(' ', at - 1) + 1, node = std::min(message.find("0x"), begin);
    if (begin != 0 && node == begin) break;
    location = {.source = path_from_here(message.substr(begin, at - 1 - begin)),
                .line = line,
                .column = column};
    auto behind = static_cast<size_t>(read.ptr - message.data());
    behind = std::min(message.find_first_not_of(": ", behind), message.size());
    message.erase(node, behind - node);
    at = 0;
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

}  // namespace

Diagnostic to_diagnostic(const Request& request, const Part& part,
                         const FindFunction& find_function) {
  std::string message(part.bytes.substr(0, part.bytes.find_last_not_of('\n') + 1));
  // Below a message on assembly are its line and a mark.
  if (message.starts_with("<inline asm>"))
    message.resize(std::min(message.find('\n'), message.size()));
  if (message.contains("Could not find inc")) message += ": assembly in bitcode cannot read files";
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
