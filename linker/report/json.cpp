#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "linker/report/reports.hpp"

namespace bpflink {
namespace {

using Json = nlohmann::ordered_json;

template <typename Range, typename Convert>
Json make_array(const Range& range, Convert convert) {
  Json array = Json::array();
  for (const auto& element : range) array.push_back(convert(element));
  return array;
}

Json size_to_json(const NamedSize& size) {
  return {{"name", size.name}, {"bytes", size.bytes}};
}

/// Each with its kinds of nodes, which only category_of() knows.
Json categories_to_json(const OutputModel& model) {
  std::map<std::string_view, std::set<std::string_view>> kinds;
  for (uint32_t i = 1; i < model.nodes.size(); ++i)
    kinds[category_of(model.nodes[i].kind)].insert(model.nodes[i].kind);
  return make_array(model.categories, [&](const NamedSize& category) {
    Json json = size_to_json(category);
    json["kinds"] = kinds[category.name];
    return json;
  });
}

/// Omits usual values: a kernel has a hundred thousand nodes.
Json node_to_json(const OutputModel& model, uint32_t i) {
  const Node& node = model.nodes[i];
  Json json{{"name", node.name},
            {"kind", node.kind},
            {"section", model.sections[node.section].name},
            {"bytes", node.bytes}};
  if (node.brings != node.bytes) json["brings"] = node.brings;
  if (node.input != no_node) json["input"] = node.input;
  if (!node.root.empty()) json["root"] = node.root;
  if (node.needed_by != 0) json["needed_by"] = node.needed_by;
  if (!node.chain_start.empty()) json["chain_start"] = node.chain_start;
  if (!node.member.empty()) json["member"] = node.member;
  if (node.dominator != 0) json["dominator"] = node.dominator;
  if (node.program != no_node) json["program"] = node.program;
  if (node.folded != 0) json["folded"] = node.folded;
  if (auto uses = model.uses.edges(i); !uses.empty())
    json["uses"] = std::set(uses.begin(), uses.end());
  return json;
}

Json nodes_to_json(const OutputModel& model) {
  Json array = Json::array();
  array.push_back(
      {{"name", model.file}, {"kind", "output"}, {"bytes", 0}, {"brings", model.bytes}});
  for (uint32_t i = 1; i < model.nodes.size(); ++i) array.push_back(node_to_json(model, i));
  return array;
}

Json section_to_json(const SectionSize& section) {
  return {{"name", section.name}, {"kind", section.kind}, {"bytes", section.bytes}};
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
  if (!program.attach_type.empty()) json["attach_type"] = program.attach_type;
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

Json line_to_json(const LineCost& line) {
  return {{"file", line.file},
          {"line", line.line},
          {"instructions", line.instructions},
          {"bytes", line.bytes}};
}

Json saving_to_json(const Saving& saving) {
  return {{"option", saving.option}, {"what", saving.what}, {"bytes", saving.bytes}};
}

Json tag_to_json(const SplitTag& tag) {
  Json json{{"name", tag.name}, {"definitions", tag.definitions}};
  if (!tag.difference.empty()) json["difference"] = tag.difference;
  return json;
}

void add_model(Json& json, const OutputModel& model) {
  json["output"] = {{"name", model.file}, {"bytes", model.bytes}};
  json["categories"] = categories_to_json(model);
  json["sections"] = make_array(model.sections, section_to_json);
  json["inputs"] = make_array(model.inputs, size_to_json);
  json["nodes"] = nodes_to_json(model);
  json["dropped"] = make_array(model.dropped, dropped_to_json);
  json["programs"] = make_array(model.programs, program_to_json);
  json["maps"] = make_array(model.maps, map_to_json);
  json["variables"] = make_array(model.variables, variable_to_json);
  json["lines"] = make_array(model.lines, line_to_json);
  json["savings"] = make_array(model.savings, saving_to_json);
  json["tags"] = make_array(model.tags, tag_to_json);
}

/// Drops what a page of many nodes does not show, or knows of all nodes.
void shorten_nodes(Json& json, const OutputModel& model) {
  for (Json& node : json["nodes"]) {
    node.erase("chain_start");
    if (model.sections.size() == 1) node.erase("section");
    if (model.inputs.size() == 1) node.erase("input");
  }
}

}  // namespace

std::string to_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string make_json(const LinkReport& report, const OutputModel& model) {
  Json json{{"files", report.files},
            {"objects", report.objects},
            {"types", {{"in", report.input_types}, {"out", report.output_types}}},
            {"section_bytes", {{"in", report.input_bytes}, {"out", report.output_bytes}}},
            {"relocations", report.relocations},
            {"symbols", report.symbols}};
  json["passes"] = make_array(report.passes, [](const auto& pass) -> Json {
    return {{"name", pass.first}, {"seconds", pass.second}};
  });
  add_model(json, model);
  return to_text(json, 2) + "\n";
}

std::string put_into_page(std::string_view before, std::string_view json, std::string_view after) {
  std::string page(before);
  for (char c : json) {
    if (c == '<')
      page += "\\u003c";  // no name may end the element around the report
    else
      page += c;
  }
  return page.append(after);
}

std::string make_size_map(const OutputModel& whole) {
  Json json;
  OutputModel model = fold_small_nodes(whole);
  add_model(json, model);
  if (model.nodes.size() < whole.nodes.size()) shorten_nodes(json, model);
  return put_into_page(size_map_page_before, to_text(json, -1), size_map_page_after);
}

}  // namespace bpflink
