#include "linker/program_output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "linker/output_file.hpp"

namespace bpflink {
namespace {

void write_to(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
}

/// As make wants names: blanks and what it takes for its own escaped.
std::string escape_for_make(std::string_view name) {
  std::string text;
  for (char c : name) {
    if (c == ' ' || c == '#') text += '\\';
    if (c == '$') text += '$';
    text += c;
  }
  return text;
}

}  // namespace

bool DiagnosticPrinter::is_wanted(const Diagnostic& diagnostic) const {
  switch (diagnostic.severity) {
    case Severity::Error:
      return true;
    case Severity::Warning:
      return !command_.quiet;
    case Severity::Note:
      break;
  }
  if (diagnostic.code == DiagnosticCode::Trace) return true;
  if (diagnostic.code == DiagnosticCode::Dropped && command_.print_gc_sections) return true;
  return command_.verbose;
}

void DiagnosticPrinter::print(const Diagnostic& diagnostic) const {
  if (!is_wanted(diagnostic)) return;
  std::string_view kind = diagnostic.severity == Severity::Error     ? "error: "
                          : diagnostic.severity == Severity::Warning ? "warning: "
                                                                     : "";
  std::string text = fmt::format("bpflink: {}{}\n", kind, diagnostic.message);
  for (const std::string& line : diagnostic.details) text += line + "\n";
  write_to(stderr, text);
}

void print_error(std::string_view message) {
  write_to(stderr, fmt::format("bpflink: error: {}\n", message));
}

void print_text(std::string_view text) {
  write_to(stdout, text);
}

std::string make_dependencies(const std::string& output, const std::vector<std::string>& files) {
  std::string text = escape_for_make(output) + ":";
  for (const std::string& file : files) text += " \\\n  " + escape_for_make(file);
  text += '\n';
  for (const std::string& file : files) text += "\n" + escape_for_make(file) + ":\n";
  return text;
}

std::string make_statistics(const LinkReport& report) {
  std::string text;
  auto add = [&](std::string_view name, uint64_t value) {
    fmt::format_to(std::back_inserter(text), "{:<24} {:>12}\n", name, value);
  };
  add("objects", report.objects);
  add("types in", report.input_types);
  add("types out", report.output_types);
  add("section bytes in", report.input_bytes);
  add("section bytes out", report.output_bytes);
  add("relocations out", report.relocations);
  add("symbols out", report.symbols);
  for (const auto& [pass, seconds] : report.passes)
    fmt::format_to(std::back_inserter(text), "{:<24} {:>12.6f} s\n", pass, seconds);
  return text;
}

std::string make_json(const LinkReport& report) {
  nlohmann::ordered_json json;
  json["files"] = report.files;
  json["objects"] = report.objects;
  json["types"] = {{"in", report.input_types}, {"out", report.output_types}};
  json["section_bytes"] = {{"in", report.input_bytes}, {"out", report.output_bytes}};
  json["relocations"] = report.relocations;
  json["symbols"] = report.symbols;
  auto& passes = json["passes"] = nlohmann::ordered_json::array();
  for (const auto& [pass, seconds] : report.passes)
    passes.push_back({{"name", pass}, {"seconds", seconds}});
  // Names of files need not be UTF-8.
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::expected<void, Error> write_text_file(const std::string& path, std::string_view text) {
  auto file = OutputFile::open(path);
  if (!file) return std::unexpected(file.error());
  while (!text.empty()) {
    ssize_t written = ::write(file->fd(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return std::unexpected(Error{std::strerror(errno)});
    text.remove_prefix(static_cast<size_t>(written));
  }
  return file->commit();
}

}  // namespace bpflink
