#include "linker/report/report_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "linker/report/report_json.hpp"

namespace bpflink {
namespace {

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

std::string make_dependencies(const std::string& output, const std::vector<std::string>& files) {
  std::string text = escape_for_make(output) + ":";
  for (const std::string& file : files) text += fmt::format(" \\\n  {}", escape_for_make(file));
  text += '\n';
  for (const std::string& file : files) text += fmt::format("\n{}:\n", escape_for_make(file));
  return text;
}

std::string make_json(const LinkReport& report, const OutputReport& output) {
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
  add_report(json, output);
  return to_text(json, 2) + "\n";
}

}  // namespace bpflink
