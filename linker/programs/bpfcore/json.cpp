#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "linker/programs/bpfcore/results.hpp"
#include "linker/report/reports.hpp"
#include "linker/text/render.hpp"

namespace bpflink {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view reason_names[] = {
    "none",        "no_type",       "no_member",    "member_type_mismatch",  "not_an_array",
    "short_array", "no_enumerator", "not_an_enum",  "type_mismatch",         "ambiguous",
    "anonymous",   "malformed",     "no_size",      "not_for_arrays",        "wide_bitfield",
    "too_deep",    "member_size",   "large_offset", "unexpected_instruction"};
constexpr std::string_view outcome_names[] = {"value", "absent", "failed"};

Json load_to_json(const LoadResult& result) {
  Json json{{"result", name_of(result.kind).word}, {"check", core_status_name(result.predicted)}};
  if (result.disagrees) json["disagrees"] = true;
  if (result.lacks_btf) json["without_btf"] = true;
  if (result.error != 0) json["errno"] = result.error;
  if (!result.message.empty()) json["message"] = result.message;
  if (!result.advice.empty()) json["advice"] = result.advice;
  if (result.instructions != 0)
    json.update(Json{{"instructions", result.instructions},
                     {"states", result.states},
                     {"peak_states", result.peak_states},
                     {"microseconds", result.microseconds}});
  return json;
}

Json object_to_json(const CoreObject& object) {
  Json json{{"name", object.name}, {"programs", Json::array()}};
  std::span<const Program> programs = object.object.programs();
  for (size_t i = 0; i < programs.size(); ++i)
    json["programs"].push_back({{"name", programs[i].name},
                                {"section", programs[i].section},
                                {"optional", bool{object.is_optional[i]}}});
  for (const StructOps& ops : object.object.struct_ops()) {
    Json& together = json["struct_ops"].emplace_back(Json::array());
    for (const StructOpsMember& member : ops.members) together.push_back(member.program);
  }
  return json;
}

/// Writes a report, each element of its arrays on a line.
class JsonWriter {
 public:
  JsonWriter(const CoreReport& report, const std::function<void(std::string_view)>& write)
      : report_(report),
        write_(write),
        names_left_(static_cast<size_t>((1 << 20) + report.input_size / 8)) {
    write_("{\n  \"version\": 1");
  }
  void finish() { write_("\n}\n"); }

  void add_inputs_and_statuses() {
    add_array("kernels", [&] {
      for (const KernelSummary& kernel : report_.kernels) add(to_json(kernel));
    });
    add_array("objects", [&] {
      for (const CoreObject& object : report_.objects) add(object_to_json(object));
    });
    if (!report_.unread.empty())
      add_array("unread", [&] {
        for (const std::string& name : report_.unread) add(name);
      });
    add_array("programs", [&] {
      for_each_pair([&](const CoreObject& object, const CoreResults& results, const Json& pair) {
        for (size_t i = 0; i < results.statuses.size(); ++i) {
          Json json = pair;
          json["program"] = object.object.programs()[i].name;
          json["status"] = core_status_name(results.statuses[i]);
          if (!results.loads.empty()) json["load"] = load_to_json(results.loads[i]);
          add(json);
        }
      });
    });
  }

  void add_findings() {
    add_array("relocations", [&] {
      for_each_pair([&](const CoreObject& object, const CoreResults& results, const Json& pair) {
        for (const CoreFinding& finding : results.findings)
          if (finding.binding) add_relocation(object, *finding.binding, finding, pair);
      });
    });
    add_array("findings", [&] {
      for_each_pair([&](const CoreObject&, const CoreResults& results, const Json& pair) {
        for (const CoreFinding& finding : results.findings)
          if (!finding.binding) add_finding(finding, pair);
      });
    });
  }

  void add_problems(const std::vector<CoreProblem>& problems) {
    add_array("problems", [&] {
      for (const CoreProblem& problem : problems) {
        Json json{{"object", report_.objects[problem.object].name}, {"kernels", Json::array()}};
        for (size_t kernel : problem.kernels)
          json["kernels"].push_back(report_.kernels[kernel].name);
        set_programs(problem.programs, json);
        json.update(to_json(problem.diagnostic));
        add(json);
      }
    });
  }

 private:
  template <typename AddAll>
  void add_array(std::string_view key, AddAll add_all) {
    write_(",\n  \"");
    write_(key);
    write_("\": [");
    is_first_ = true;
    add_all();
    write_("\n  ]");
  }

  void add(const Json& element) {
    write_(std::exchange(is_first_, false) ? "\n    " : ",\n    ");
    write_(json_line(element));
  }

  template <typename Visit>
  void for_each_pair(Visit visit) const {
    for (size_t object = 0; object < report_.objects.size(); ++object)
      for (size_t kernel = 0; kernel < report_.kernels.size(); ++kernel)
        visit(report_.objects[object], report_.results[kernel][object],
              Json{{"object", report_.objects[object].name},
                   {"kernel", report_.kernels[kernel].name}});
  }

  void add_relocation(const CoreObject& object, const CoreBinding& binding,
                      const CoreFinding& finding, Json json) {
    const CoreRecord& record = object.records[binding.record];
    bool has_value = binding.outcome == CoreOutcome::Value;
    json.update(Json{{"section", object.file().sections[record.section].name},
                     {"index", record.index},
                     {"offset", record.offset},
                     {"programs", Json::array()},
                     {"kind", core_kind_name(record.relocation.kind)},
                     {"access", object.accesses[binding.record]},
                     {"status", core_status_name(finding.status)},
                     {"outcome", outcome_names[static_cast<size_t>(binding.outcome)]},
                     {"value", has_value ? Json(binding.value) : Json()}});
    const DiagnosticLocation& location = object.locations[binding.record];
    if (location.line != 0)
      json["source"] = {
          {"file", location.source}, {"line", location.line}, {"column", location.column}};
    if (!has_value) json["reason"] = reason_names[static_cast<size_t>(binding.reason)];
    for (const CoreAssumption& assumption : binding.assumes)
      json["assumes"].push_back({{"variable", assumption.variable}, {"value", assumption.value}});
    set_programs(finding.programs, json);
    if (finding.complaint) json["message"] = finding.complaint->what;
    add(json);
  }

  void add_finding(const CoreFinding& finding, Json json) {
    json["kind"] = core_need_name(finding.need);
    json["name"] = finding.name;
    json["programs"] = Json::array();
    json["status"] = core_status_name(finding.status);
    set_programs(finding.programs, json);
    if (finding.becomes_zero) json["becomes_zero"] = true;
    if (finding.complaint) json["message"] = finding.complaint->what;
    add(json);
  }

  /// If thousands of findings have thousands of programs, lists are cut: the limit follows from the
  /// size of the input.
  void set_programs(const ProgramList& programs, Json& json) {
    constexpr size_t always = 4;
    size_t more = programs.size() - std::min(programs.size(), always);
    bool is_cut = more > names_left_;
    if (is_cut)
      json["more_programs"] = more;
    else
      names_left_ -= more;
    json["programs"] = is_cut ? programs.span().first(always) : programs.span();
  }

  const CoreReport& report_;
  const std::function<void(std::string_view)>& write_;
  size_t names_left_;
  bool is_first_ = true;
};

}  // namespace

Json to_json(const KernelSummary& kernel) {
  auto text = [](const std::string& value) { return value.empty() ? Json() : Json(value); };
  Json json{{"name", kernel.name},
            {"release", text(kernel.identity.release)},
            {"architecture", text(kernel.identity.arch)},
            {"build_id", text(kernel.identity.build_id)}};
  if (!kernel.libbpf.empty()) json["libbpf"] = kernel.libbpf;
  return json;
}

void write_json(const CoreReport& report, const std::vector<CoreProblem>& problems,
                const std::function<void(std::string_view)>& write) {
  JsonWriter writer(report, write);
  writer.add_inputs_and_statuses();
  writer.add_findings();
  writer.add_problems(problems);
  writer.finish();
}

std::string make_page(const CoreReport& report, const std::vector<CoreProblem>& problems) {
  std::string json;
  const std::function<void(std::string_view)> write = [&](std::string_view text) { json += text; };
  JsonWriter writer(report, write);
  writer.add_inputs_and_statuses();
  writer.add_problems(problems);
  writer.finish();
  return put_into_page(core_page_before, json, core_page_after);
}

}  // namespace bpflink
