#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "linker/programs/bpfcore/shown.hpp"
#include "linker/report/reports.hpp"
#include "linker/text/render.hpp"

namespace bpflink {
namespace {

using Json = nlohmann::ordered_json;

Json objects_to_json(const CoreReport& report) {
  Json objects = Json::array();
  for (size_t i = 0; i < report.objects.size(); ++i) {
    const CoreObject& object = report.objects[i];
    std::span<const Program> all = object.object.programs();
    std::vector<std::string> cells(all.size());
    for (size_t kernel = 0; kernel < report.kernels.size(); ++kernel) {
      auto statuses = report.program_statuses(i, kernel);
      for (size_t program = 0; program < cells.size(); ++program)
        cells[program] += status_mark(statuses[program]);
    }
    Json programs = Json::array();
    for (size_t program = 0; program < cells.size(); ++program)
      programs.push_back({{"name", all[program].name},
                          {"section", all[program].section},
                          {"optional", bool{object.is_optional[program]}},
                          {"cells", cells[program]}});
    Json maps = Json::array();
    for (const StructOps& ops : object.object.struct_ops()) {
      Json& together = maps.emplace_back(Json::array());
      for (const StructOpsMember& member : ops.members) together.push_back(member.program);
    }
    objects.push_back(
        {{"name", object.name}, {"programs", std::move(programs)}, {"maps", std::move(maps)}});
  }
  return objects;
}

/// "trace.bpf.c:42", or the object.
std::string place_of(const Diagnostic& diagnostic) {
  for (const DiagnosticLocation* place : places_of(diagnostic))
    if (place->line != 0) return fmt::format("{}:{}", place->source, place->line);
  return diagnostic.file;
}

/// The lists of programs, each once.
class ListWriter {
 public:
  /// The index of a list.
  size_t add(const ProgramList& programs) {
    auto [known, is_new] = index_.try_emplace(programs.identity(), lists_.size());
    if (is_new) lists_.push_back(programs.span());
    return known->second;
  }
  Json take() { return std::move(lists_); }

 private:
  std::map<const void*, size_t> index_;
  Json lists_ = Json::array();
};

Json problem_to_json(const CoreProblem& problem, ListWriter& lists) {
  Json json{{"object", problem.object},
            {"kernels", problem.kernels},
            {"programs", lists.add(problem.programs)},
            {"is_error", problem.diagnostic.severity == Severity::Error},
            {"message", problem.diagnostic.message},
            {"place", place_of(problem.diagnostic)},
            {"details", Json::array()}};
  for (const DiagnosticLocation* place : places_of(problem.diagnostic))
    if (!place->text.empty()) json["details"].push_back(place->text);
  for (std::string& line : detail_lines(problem.diagnostic))
    json["details"].push_back(std::move(line));
  return json;
}

}  // namespace

std::string make_page(const CoreReport& report, const std::vector<CoreProblem>& problems) {
  Json json{{"kernels", Json::array()},
            {"objects", objects_to_json(report)},
            {"problems", Json::array()}};
  for (const KernelSummary& kernel : report.kernels)
    json["kernels"].push_back({{"name", kernel.name},
                               {"release", kernel.identity.release},
                               {"architecture", kernel.identity.arch}});
  ListWriter lists;
  for (const CoreProblem& problem : problems)
    json["problems"].push_back(problem_to_json(problem, lists));
  json["program_lists"] = lists.take();
  return put_into_page(core_page_before, json.dump(-1, ' ', true, Json::error_handler_t::replace),
                       core_page_after);
}

}  // namespace bpflink
