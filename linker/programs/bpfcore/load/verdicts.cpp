// What load reports beside what check does: why programs do not load, where check was wrong, and
// what differs from before.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <nlohmann/json.hpp>

#include "dedup/for_linker.hpp"
#include "linker/error.hpp"
#include "linker/io/bytes.hpp"
#include "linker/programs/bpfcore/commands.hpp"
#include "linker/programs/bpfcore/load/load.hpp"
#include "linker/text/program.hpp"

namespace bpflink {
namespace {

/// Whether a message is about what an object and a kernel show: a type, a helper, a kfunc, an
/// attach target, a section, an instruction. check claims to know these; it does not read code as a
/// verifier does.
bool is_known_to_check(const LoadResult& result) {
  constexpr std::string_view of_others[] = {"BPF_ALU uses reserved fields",
                                            "BPF_JA|BPF_X uses reserved fields", "BPF_JMP",
                                            "BPF_EXIT", " region",
                                            // of a weak extern, before libbpf 1.3
                                            "incompatible with kernel"};
  constexpr std::string_view of_kernel[] = {"unknown func",
                                            "invalid func ",
                                            "cannot use helper",
                                            "sleepable helper",
                                            "calling kernel function",
                                            "invalid kfunc",
                                            "invalid CO-RE",
                                            "failed to find",
                                            "not found in kernel",
                                            "extern ",
                                            "BPF_CALL uses",
                                            "BPF_ST uses",
                                            "BPF_STX uses",
                                            "BPF_LDX uses",
                                            "BPF_ATOMIC uses",
                                            "BPF_MOV uses",
                                            "BPF_END uses",
                                            "unknown opcode",
                                            "invalid atomic",
                                            "reserved fields",
                                            "be sleepable",
                                            "program type"};
  auto is_in = [&](std::string_view part) { return result.message.contains(part); };
  if (std::ranges::any_of(of_others, is_in)) return false;
  return result.error == ESRCH || result.error == ENOENT || std::ranges::any_of(of_kernel, is_in);
}

CoreFinding finding_of(const Program& program, const LoadResult& result,
                       const std::string& libbpf) {
  using enum LoadResult::Kind;
  CoreFinding finding{.need = CoreNeed::Load, .symbol = program.name};
  finding.programs = ProgramList({program.name});
  if (result.kind == Lacks) {
    finding.leave_unknown(fmt::format("whether {} loads: {}", program.name, result.message),
                          result.advice);
    return finding;
  }
  finding.fail(fmt::format("{}: {}",
                           result.kind == Refused  ? "refused by the verifier"
                           : result.kind == Loader ? fmt::format("refused by libbpf {}", libbpf)
                                                   : "not loaded",
                           result.message));
  if (result.place) finding.places = std::span(&*result.place, 1);
  if (!result.place) finding.complaint->here = result.source;
  if (result.disagrees)
    finding.complaint->advice = "check should have found this: please report it, with the object";
  return finding;
}

/// Whether check fails only for struct_ops maps that are not the program's: a guest creates
/// those of the program, other loaders all.
bool fails_for_other_maps(const CoreObject& object, const CoreResults& results,
                          const Program& program) {
  auto is_member = [&](const StructOps& ops) {
    return std::ranges::count(ops.members, program.name, &StructOpsMember::program) != 0;
  };
  auto is_of_map = [](const CoreFinding& finding) {
    return finding.status == CoreStatus::Fails && finding.programs.empty() &&
           (finding.need == CoreNeed::StructOps || finding.need == CoreNeed::StructOpsMember);
  };
  return std::ranges::any_of(results.findings, is_of_map) &&
         std::ranges::none_of(object.object.struct_ops(), is_member);
}

/// The status that a result gives a program of that status.
CoreStatus status_after(const LoadResult& result) {
  bool is_predicted = result.predicted <= CoreStatus::Guarded;
  using enum LoadResult::Kind;
  if (result.kind == NotRun || result.kind == Lacks) return CoreStatus::Unknown;
  if (!result.loads()) return CoreStatus::Fails;
  return is_predicted ? result.predicted : CoreStatus::Resolves;
}

}  // namespace

void judge_loads(const CoreObject& object, const KernelSummary& kernel, CoreResults& results) {
  using enum LoadResult::Kind;
  for (size_t i = 0; i < results.loads.size(); ++i) {
    LoadResult& result = results.loads[i];
    const Program& program = object.object.programs()[i];
    result.predicted = std::exchange(results.statuses[i], status_after(result));
    results.alone[i] = result.kind == Together ? result.predicted : results.statuses[i];
    bool is_predicted = result.predicted == CoreStatus::Fails;
    bool is_of_program = result.kind == Refused || result.kind == Loader || result.kind == Failed;
    result.disagrees =
        is_predicted
            ? result.loads() && !fails_for_other_maps(object, results, program)
            : result.predicted != CoreStatus::Unknown && is_of_program && is_known_to_check(result);
    if (is_predicted && result.disagrees)
      print_diagnostic("bpfcore",
                       {.severity = Severity::Warning,
                        .message = fmt::format("{}: {} loads on {}, which check does not "
                                               "expect: please report it, with the object",
                                               object.name, program.name, kernel.name)});
    if (!is_predicted && (is_of_program || result.kind == Lacks || result.kind == Ended))
      results.findings.push_back(finding_of(program, result, kernel.libbpf));
  }
}

int exit_status_of(const CoreReport& report, bool is_whole) {
  bool is_refused = false, is_loader = false, is_unknown = false;
  for (const auto& of_kernel : report.results)
    for (size_t i = 0; i < report.objects.size(); ++i)
      for (size_t program = 0; program < of_kernel[i].loads.size(); ++program) {
        const LoadResult& load = of_kernel[i].loads[program];
        const CoreStatus status = of_kernel[i].statuses[program];
        const bool is_wanted =
            !is_whole || report.objects[i].object.programs()[program].meaning.autoload;
        is_unknown |= is_wanted && status == CoreStatus::Unknown;
        if (status != CoreStatus::Fails || report.objects[i].is_optional[program]) continue;
        bool is_of_loader =
            load.kind == LoadResult::Kind::Loader && load.predicted != CoreStatus::Fails;
        (is_of_loader ? is_loader : is_refused) = true;
      }
  return is_unknown ? exits::unchecked : is_refused ? exits::failed : is_loader ? exits::loader : 0;
}

std::expected<bool, Error> compare_loads(const CoreReport& report, const std::string& path) {
  using Json = nlohmann::json;
  auto file = InputFile::open(path);
  if (!file) return fail_in(path, file.error());
  auto key = [](const auto&... parts) { return fmt::format("{}", fmt::join({parts...}, "\n")); };
  std::map<std::string, std::pair<bool, uint64_t>> old;
  try {
    const Json before = Json::parse(text_of(file->bytes()));
    for (const Json& one : before.at("programs")) {
      auto part = [&](const char* name) { return one.at(name).get<std::string>(); };
      const Json& load = one.at("load");
      // Without its BTF, a program was checked less.
      old[key(part("object"), part("kernel"), part("program"))] = {
          load.at("result") == name_of(LoadResult::Kind::Loads).word &&
              !load.value("without_btf", false),
          load.value("instructions", uint64_t{0})};
    }
  } catch (const Json::exception&) {
    return fail("{}: is not a report of bpfcore load", path);
  }
  bool is_worse = false, is_any_known = false;
  for (size_t kernel = 0; kernel < report.kernels.size(); ++kernel)
    for (size_t object = 0; object < report.objects.size(); ++object)
      for (size_t i = 0; i < report.results[kernel][object].loads.size(); ++i) {
        const LoadResult& now = report.results[kernel][object].loads[i];
        const std::string &where = report.objects[object].name, &on = report.kernels[kernel].name,
                          name(report.objects[object].object.programs()[i].name);
        auto found = old.find(key(where, on, name));
        if (found == old.end()) continue;
        is_any_known = true;
        auto [did_load, cost] = found->second;
        std::string what = fmt::format("{}: {} on {}: ", where, name, on);
        is_worse |= did_load && !now.loads();
        if (did_load && !now.loads()) print_error("bpfcore", what + "loads no longer");
        if (!did_load && now.loads()) print_note("bpfcore", what + "loads now");
        if (did_load && now.loads() && cost != now.instructions)
          print_note("bpfcore", fmt::format("{}{} processed, {} before", what,
                                            count_of(now.instructions, "instruction"), cost));
      }
  if (!is_any_known)
    return fail("{}: has none of these programs on these kernels, by the names as given", path);
  return !is_worse;
}

}  // namespace bpflink
