#include "linker/report/report_json.hpp"

#include <nlohmann/json.hpp>

namespace bpflink {
namespace {

using Json = nlohmann::ordered_json;

template <typename Range, typename Convert>
Json make_array(const Range& range, Convert convert) {
  Json array = Json::array();
  for (const auto& element : range) array.push_back(convert(element));
  return array;
}

Json part_to_json(const SizePart& part) {
  return {{"name", part.name}, {"kind", part.kind}, {"bytes", part.bytes}};
}

/// Most of the functions of a kernel are one part each, which need not be told twice.
bool is_one_part(const SizeGroup& group) {
  return group.parts.size() == 1 && group.parts.front().name == group.name;
}

Json group_to_json(const SizeGroup& group) {
  Json json{{"name", group.name}, {"kind", group.kind}, {"bytes", group.bytes}};
  if (!is_one_part(group)) json["parts"] = make_array(group.parts, part_to_json);
  return json;
}

Json section_to_json(const SizeSection& section) {
  return {{"name", section.name},
          {"kind", section.kind},
          {"bytes", section.bytes},
          {"groups", make_array(section.groups, group_to_json)}};
}

Json dropped_to_json(const DroppedPart& part) {
  Json json{{"file", part.file}};
  if (!part.section.empty()) json["section"] = part.section;
  if (!part.name.empty()) json["name"] = part.name;
  json["bytes"] = part.bytes;
  json["reason"] = part.reason;
  return json;
}

Json program_to_json(const ProgramCost& program) {
  Json json{{"name", program.name},
            {"section", program.section},
            {"type", program.type},
            {"instructions", program.instructions},
            {"all_instructions", program.all_instructions},
            {"stack", program.stack}};
  if (program.deepest_stack) json["deepest_stack"] = *program.deepest_stack;
  json["subprograms"] = program.subprograms;
  json["maps"] = program.maps;
  json["variables"] = program.variables;
  return json;
}

Json map_to_json(const MapCost& map) {
  return {{"name", map.name},       {"type", map.type},         {"key", map.key},
          {"value", map.value},     {"key_size", map.key_size}, {"value_size", map.value_size},
          {"entries", map.entries}, {"bytes", map.bytes},       {"per_cpu", map.per_cpu},
          {"pinning", map.pinning}, {"programs", map.programs}};
}

Json variable_to_json(const VariableCost& variable) {
  return {{"name", variable.name},   {"section", variable.section},
          {"type", variable.type},   {"linkage", variable.linkage},
          {"bytes", variable.bytes}, {"programs", variable.programs}};
}

Json tag_to_json(const SplitTag& tag) {
  Json json{{"name", tag.name}, {"definitions", tag.definitions}};
  if (!tag.difference.empty()) json["difference"] = tag.difference;
  return json;
}

}  // namespace

void add_report(nlohmann::ordered_json& json, const OutputReport& report) {
  json["output"] = {{"name", report.file}, {"bytes", report.bytes}};
  json["sections"] = make_array(report.sections, section_to_json);
  json["dropped"] = make_array(report.dropped, dropped_to_json);
  json["programs"] = make_array(report.programs, program_to_json);
  json["maps"] = make_array(report.maps, map_to_json);
  json["variables"] = make_array(report.variables, variable_to_json);
  json["tags"] = make_array(report.tags, tag_to_json);
}

std::string to_text(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace bpflink
