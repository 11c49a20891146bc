#include <algorithm>
#include <nlohmann/json.hpp>

#include "linker/programs/bpfcore/shown.hpp"

namespace bpflink {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

/// Writes the elements of an array, one on each line.
class ArrayWriter {
 public:
  explicit ArrayWriter(const std::function<void(std::string_view)>& write) : write_(write) {}

  void add(const Json& element) {
    write_(is_first_ ? "\n" : ",\n");
    is_first_ = false;
    write_("    ");
    write_(text_of(element));
  }

 private:
  const std::function<void(std::string_view)>& write_;
  bool is_first_ = true;
};

std::string_view reason_name(CoreReason reason) {
  constexpr std::string_view names[] = {"",
                                        "no_type",
                                        "no_member",
                                        "member_type_mismatch",
                                        "not_an_array",
                                        "short_array",
                                        "no_enumerator",
                                        "not_an_enum",
                                        "type_mismatch",
                                        "ambiguous",
                                        "anonymous",
                                        "malformed",
                                        "no_size",
                                        "not_for_arrays",
                                        "wide_bitfield",
                                        "too_deep",
                                        "member_size",
                                        "large_offset",
                                        "unexpected_instruction"};
  return names[static_cast<size_t>(reason)];
}

std::string_view outcome_name(CoreOutcome outcome) {
  constexpr std::string_view names[] = {"value", "absent", "failed"};
  return names[static_cast<size_t>(outcome)];
}

Json kernel_to_json(const KernelSummary& kernel) {
  Json json{{"name", kernel.name}};
  auto add = [&](const char* key, const std::string& text) {
    json[key] = text.empty() ? Json() : Json(text);
  };
  add("release", kernel.identity.release);
  add("architecture", kernel.identity.arch);
  add("build_id", kernel.identity.build_id);
  return json;
}

/// Adds the programs of findings. If thousands of findings have thousands of programs, lists are
/// cut: the limit follows from the size of the input.
class ProgramWriter {
 public:
  explicit ProgramWriter(const CoreReport& report)
      : names_left_(static_cast<size_t>((1 << 20) + report.input_size / 8)) {}

  void add(const ProgramList& programs, Json& json) {
    constexpr size_t always = 4;
    size_t size = programs.size() - std::min(programs.size(), always);
    if (size > names_left_) {
      json["more_programs"] = size;
      json["programs"] = programs.span().first(always);
      return;
    }
    names_left_ -= size;
    json["programs"] = programs.span();
  }

 private:
  size_t names_left_;
};

Json relocation_to_json(const CoreReport& report, ProgramWriter& programs, size_t kernel,
                        size_t object, size_t index) {
  const CoreObject& of = report.objects[object];
  const CoreRecord& record = of.records[index];
  const CoreFinding& finding = report.findings[kernel][object][index];
  Json json{{"object", of.name},
            {"kernel", report.kernels[kernel].name},
            {"section", of.file().sections[record.section].name},
            {"index", record.index},
            {"offset", record.offset},
            {"programs", Json::array()},
            {"kind", core_kind_name(record.relocation.kind)},
            {"access", of.accesses[index]},
            {"status", core_status_name(finding.status)},
            {"outcome", outcome_name(finding.outcome)},
            {"value", finding.outcome == CoreOutcome::Value ? Json(finding.value) : Json()}};
  const DiagnosticLocation& location = of.locations[index];
  if (location.line != 0)
    json["source"] = {
        {"file", location.source}, {"line", location.line}, {"column", location.column}};
  if (finding.outcome != CoreOutcome::Value) json["reason"] = reason_name(finding.reason);
  if (!finding.assumes.empty()) {
    json["assumes"] = Json::array();
    for (const CoreAssumption& assumption : finding.assumes)
      json["assumes"].push_back({{"variable", assumption.variable}, {"value", assumption.value}});
  }
  programs.add(finding.programs, json);
  if (finding.complaint) json["message"] = finding.complaint->what;
  return json;
}

Json finding_to_json(const CoreReport& report, ProgramWriter& programs, size_t kernel,
                     size_t object, const CoreFinding& finding) {
  Json json{{"object", report.objects[object].name},
            {"kernel", report.kernels[kernel].name},
            {"kind", core_need_name(finding.need)},
            {"name", finding.name},
            {"programs", Json::array()},
            {"status", core_status_name(finding.status)}};
  programs.add(finding.programs, json);
  if (finding.becomes_zero) json["becomes_zero"] = true;
  if (finding.complaint) json["message"] = finding.complaint->what;
  return json;
}

Json object_to_json(const CoreObject& object) {
  Json json{{"name", object.name}, {"programs", Json::array()}};
  std::span<const Program> programs = object.object.programs();
  for (size_t i = 0; i < programs.size(); ++i)
    json["programs"].push_back({{"name", programs[i].name},
                                {"section", programs[i].section},
                                {"optional", bool{object.is_optional[i]}}});
  return json;
}

Json program_to_json(const CoreReport& report, size_t kernel, size_t object, size_t program,
                     CoreStatus status) {
  return {{"object", report.objects[object].name},
          {"kernel", report.kernels[kernel].name},
          {"program", report.objects[object].object.programs()[program].name},
          {"status", core_status_name(status)}};
}

}  // namespace

void write_json(const CoreReport& report, const std::function<void(std::string_view)>& write) {
  ProgramWriter programs(report);
  auto for_each_pair = [&](auto visit) {
    for (size_t object = 0; object < report.objects.size(); ++object)
      for (size_t kernel = 0; kernel < report.kernels.size(); ++kernel) visit(kernel, object);
  };
  auto write_array = [&](std::string_view key, auto add_all) {
    write(",\n  \"");
    write(key);
    write("\": [");
    ArrayWriter array(write);
    add_all(array);
    write("\n  ]");
  };
  write("{\n  \"version\": 1");
  write_array("kernels", [&](ArrayWriter& array) {
    for (const KernelSummary& kernel : report.kernels) array.add(kernel_to_json(kernel));
  });
  write_array("objects", [&](ArrayWriter& array) {
    for (const CoreObject& object : report.objects) array.add(object_to_json(object));
  });
  write_array("programs", [&](ArrayWriter& array) {
    for_each_pair([&](size_t kernel, size_t object) {
      auto statuses = report.program_statuses(object, kernel);
      for (size_t i = 0; i < statuses.size(); ++i)
        array.add(program_to_json(report, kernel, object, i, statuses[i]));
    });
  });
  write_array("relocations", [&](ArrayWriter& array) {
    for_each_pair([&](size_t kernel, size_t object) {
      for (size_t i = 0; i < report.objects[object].records.size(); ++i)
        array.add(relocation_to_json(report, programs, kernel, object, i));
    });
  });
  write_array("findings", [&](ArrayWriter& array) {
    for_each_pair([&](size_t kernel, size_t object) {
      for (const CoreFinding& finding : report.findings[kernel][object])
        if (finding.need != CoreNeed::Relocation)
          array.add(finding_to_json(report, programs, kernel, object, finding));
    });
  });
  write("\n}\n");
}

}  // namespace bpflink
