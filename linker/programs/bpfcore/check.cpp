// bpfcore check: whether each program loads on each kernel. check_object() does it for one of each:
//
// - What the object names is looked up: externs, attach targets, structs of functions, types of
//   maps and programs (needs/needs_check.hpp).
// - Its CO-RE relocations are resolved as a loader does it (needs/core_check.hpp).
// - With their values, and those of externs, the code is walked as the verifier walks it. Much of
//   it is for other kernels and never reached (program/reachability.hpp).
// - What matters in reached code alone is looked up: helpers, kfuncs, what verifiers refuse.
//
// A thing that the kernel's files do not tell is unknown, and so is what depends on it: the walk is
// done again with the least and the largest value (mark_uncertain()).
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "dedup/for_linker.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/outputs.hpp"
#include "linker/programs/bpfcore/commands.hpp"
#include "linker/programs/bpfcore/inputs.hpp"
#include "linker/programs/bpfcore/load/load.hpp"
#include "linker/programs/bpfcore/needs/core_check.hpp"
#include "linker/programs/bpfcore/needs/needs_check.hpp"
#include "linker/programs/bpfcore/results.hpp"
#include "linker/text/program.hpp"
#include "linker/types/kconfig_type.hpp"

namespace bpflink {
namespace {

/// Marks the programs that may fail. Errors: a name that no program has.
std::expected<void, Error> mark_optional(const std::vector<std::string>& names,
                                         std::vector<CoreObject>& objects) {
  for (const std::string& name : names) {
    bool is_known = false;
    for (CoreObject& object : objects) {
      auto found = object.find_program(name);
      if (!found) continue;
      object.is_optional[*found] = true;
      is_known = true;
    }
    if (!is_known) return fail("--optional {}: no object has a program of that name", name);
  }
  return {};
}

/// Errors: `--set` names a variable that no object has in .rodata.
std::expected<void, Error> check_settings(const std::map<std::string, uint64_t>& settings,
                                          const std::vector<CoreObject>& objects) {
  for (const auto& [name, value] : settings) {
    auto has_variable = [&](const CoreObject& object) {
      const Variable* variable = object.object.find_variable(name);
      return variable && object.object.data_sections()[variable->data_section].kind ==
                             DataSection::Kind::Rodata;
    };
    if (!std::ranges::any_of(objects, has_variable))
      return fail("--set {}: no object has a variable of that name in .rodata", name);
  }
  return {};
}

/// What the check of one object on one kernel may take. All of them together take seconds, unless
/// the inputs are large.
struct Limits {
  CheckLimits check{};
  size_t text = 0;  ///< NeedsCheck::text_left

  explicit Limits(const CoreInputs& inputs) {
    const uint64_t checks = inputs.objects.size() * inputs.kernels.size();
    auto share = [&](uint64_t most, uint64_t of_all) {
      constexpr uint64_t per_byte = 16;
      return std::min(most, (of_all + per_byte * inputs.size) / checks);
    };
    check.steps = share(1 << 24, 1 << 30);
    check.names = share(check.names, 1 << 27);
    text = share(1 << 20, 1 << 27);
  }
};

std::unexpected<Error> fail_too_many_programs(const CoreObject& object) {
  return fail(
      "{}: too much code is shared by too many programs: check fewer kernels or programs at once",
      object.name);
}

/// What would settle all that is unknown of externs, if code fails that may depend on it; or "".
std::string advice_on_unknown(const NeedsCheck& needs,
                              const std::vector<CoreFinding>& relocations) {
  std::string advice;
  bool has_failed =
      std::ranges::find(relocations, CoreStatus::Fails, &CoreFinding::status) != relocations.end();
  for (const CoreFinding& finding : needs.findings) {
    has_failed |= finding.status == CoreStatus::Fails && !finding.places.empty();
    bool is_unknown = is_extern(finding.need) && finding.status == CoreStatus::Unknown;
    if (!is_unknown || advice.contains(finding.complaint->advice)) continue;
    advice += fmt::format("{}{}", advice.empty() ? "" : "; ", finding.complaint->advice);
  }
  return has_failed ? advice : "";
}

/// Finds the first use of each, to show it.
void find_first_uses(std::vector<CoreFinding>& findings, ObjectCheck& check) {
  for (CoreFinding& finding : findings)
    if (finding.complaint && !finding.places.empty() && !finding.programs.empty())
      finding.places = check.from_first_use(finding.places, finding.use, finding.programs[0]);
}

/// What fails in code that programs reach whatever is unknown of the kernel, is certain: with the
/// `least` and the `most` of its version and the like. Of the other programs it is not known.
void mark_uncertain(NeedsCheck& needs, std::vector<CoreFinding>& relocations, ObjectCheck& least,
                    ObjectCheck& most, std::string_view advice) {
  const size_t count = needs.findings.size();
  for (size_t i = 0; i < count + relocations.size(); ++i) {
    CoreFinding& finding = i < count ? needs.findings[i] : relocations[i - count];
    InsnPlace relocated{};
    std::span<const InsnPlace> places = finding.places;
    if (finding.binding && !stops_all(needs.code, *finding.binding)) {
      const CoreRecord& record = needs.code.records[finding.binding->record];
      relocated = {record.section, record.offset};
      places = {&relocated, 1};
    }
    if (finding.status != CoreStatus::Fails || places.empty()) continue;
    auto names_with = [&](ObjectCheck& check) {
      auto programs = check.programs_with(places, finding.use);
      return std::unordered_set<std::string_view>(programs.begin(), programs.end());
    };
    auto in_least = names_with(least), in_most = names_with(most);
    std::vector<std::string_view> certain, others;
    for (std::string_view program : finding.programs)
      (in_least.contains(program) && in_most.contains(program) ? certain : others)
          .push_back(program);
    if (others.empty()) continue;
    std::string thing = fmt::format("whether programs reach this: {}", finding.complaint->what);
    if (certain.empty()) {
      finding.leave_unknown(std::move(thing), advice);
      continue;
    }
    finding.programs = std::move(certain);
    if (finding.binding)
      needs.add(CoreNeed::Instructions, "a relocation", std::move(others), {})
          .leave_unknown(std::move(thing), advice);
    else
      needs
          .add(finding.need, std::string(finding.name), std::move(others), finding.places,
               finding.use)
          .leave_unknown(std::move(thing), advice);
  }
}

/// A value of an extern that is as large as its type lets it be.
uint64_t large_value(const Object& object, std::string_view name) {
  const Extern* entry = object.find_extern(name);
  auto type = entry ? kconfig_type(*object.btf(), entry->type_id) : std::nullopt;
  if (!type) return INT32_MAX;
  if (type->kind == KconfigType::Kind::Bool) return 1;
  return type->kind == KconfigType::Kind::Tristate ? 2 : INT32_MAX;
}

/// Checks an object on a kernel: relocations and everything else that the kernel binds. The reached
/// code depends on which externs the kernel has, and a missing helper matters only in reached code.
/// Errors: its code leads to more programs than the limits allow to name.
std::expected<std::vector<CoreFinding>, Error> check_object(const CoreObject& object,
                                                            std::span<const Verdict> verdicts,
                                                            const Kernel& kernel,
                                                            const BpfcoreOptions& options,
                                                            const Limits& limits) {
  NeedsCheck needs{object, verdicts, kernel};
  needs.text_left = limits.text;
  needs.check();
  // What is unknown has the value `assumed`, or the largest below.
  auto facts = [&](std::optional<uint64_t> assumed) {
    auto value_of = [&needs, assumed](std::string_view name) -> std::optional<uint64_t> {
      auto found = needs.externs.find(name);
      bool is_unknown =
          found == needs.externs.end() || found->second.knowledge == Knowledge::Unknown;
      if (!is_unknown) return found->second.value;
      if (!assumed) return std::nullopt;
      return std::min(*assumed, large_value(needs.object, name));
    };
    return CoreFacts{.version = kernel.version_code.value_or(0),
                     .kconfig = value_of,
                     .has_ksym = [value_of](std::string_view name) -> std::optional<bool> {
                       auto value = value_of(name);
                       return value ? std::optional(*value != 0) : std::nullopt;
                     },
                     .settings = options.settings,
                     .strict = options.strict};
  };
  const std::string& release = kernel.identity.release;
  ObjectCheck check(object, kernel.index, facts({}), release, limits.check);
  needs.users_of = [&](std::span<const InsnPlace> places, CodeUse use) {
    return check.programs_with(places, use);
  };
  needs.check_code();
  bool is_exhausted = check.is_exhausted();
  std::vector<CoreFinding> findings = check.take_relocations();
  if (std::string advice = advice_on_unknown(needs, findings); !advice.empty()) {
    const CheckLimits walk{.steps = limits.check.steps, .names = 0};
    ObjectCheck least(object, kernel.index, facts(0), release, walk);
    ObjectCheck most(object, kernel.index, facts(INT32_MAX), release, walk);
    mark_uncertain(needs, findings, least, most, advice);
    is_exhausted |= least.is_exhausted() || most.is_exhausted();
  }
  find_first_uses(needs.findings, check);
  if (is_exhausted) return fail_too_many_programs(object);
  std::ranges::move(needs.findings, std::back_inserter(findings));
  return findings;
}

/// Makes equal lists of programs one list. Errors: they have too many programs together.
std::expected<void, Error> share_programs(std::vector<CoreFinding>& findings,
                                          const CoreObject& object, ProgramLists& lists) {
  constexpr size_t most = size_t{1} << 24;
  std::map<const void*, std::pair<ProgramList, ProgramList>> known;  // each keeps its identity
  for (CoreFinding& finding : findings) {
    auto [entry, is_new] = known.try_emplace(finding.programs.identity());
    auto& [own, shared] = entry->second;
    if (is_new) {
      own = finding.programs;
      shared = lists.share(own);
    }
    finding.programs = shared;
  }
  return lists.size() <= most ? std::expected<void, Error>() : fail_too_many_programs(object);
}

/// Raises the statuses of programs to those of the findings.
void add_statuses(const CoreObject& object, CoreResults& results) {
  CoreStatus of_all = CoreStatus::Resolves;
  /// The worst status of each list of programs, by its identity.
  std::map<const void*, std::pair<const ProgramList*, CoreStatus>> worst;
  for (const CoreFinding& finding : results.findings) {
    // One relocation that cannot be applied keeps the whole object from loading. But code that no
    // program calls stops no program.
    bool is_of_all =
        finding.binding ? stops_all(object, *finding.binding) : finding.programs.empty();
    if (is_of_all) {
      of_all = std::max(of_all, finding.status);
      continue;
    }
    auto& [list, status] = worst[finding.programs.identity()];
    list = &finding.programs;
    status = std::max(status, finding.status);
  }
  results.alone.assign(object.object.programs().size(), of_all);
  for (const auto& [identity, of_list] : worst)
    for (std::string_view name : *of_list.first)
      if (auto program = object.find_program(name))
        results.alone[*program] = std::max(results.alone[*program], of_list.second);
  results.statuses = results.alone;
  for (const StructOps& ops : object.object.struct_ops()) {
    std::vector<size_t> together;
    CoreStatus of_map = CoreStatus::Resolves;
    for (const StructOpsMember& member : ops.members)
      if (auto program = object.find_program(member.program)) {
        together.push_back(*program);
        of_map = std::max(of_map, results.alone[*program]);
      }
    if (of_map < CoreStatus::Unknown) continue;
    for (size_t program : together)
      results.statuses[program] = std::max(results.statuses[program], of_map);
  }
}

/// Puts the kernels in the order of their releases, those without one last.
void sort_kernels(CoreReport& report) {
  std::vector<size_t> order(report.kernels.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    const std::string& release_a = report.kernels[a].identity.release;
    const std::string& release_b = report.kernels[b].identity.release;
    if (release_a.empty() || release_b.empty()) return release_a.empty() < release_b.empty();
    return ::strverscmp(release_a.c_str(), release_b.c_str()) < 0;
  });
  auto reorder = [&](auto& of_kernels) {
    auto old = std::exchange(of_kernels, {});
    for (size_t i : order) of_kernels.push_back(std::move(old[i]));
  };
  reorder(report.kernels);
  reorder(report.results);
}

std::expected<void, OutputProblem> write_reports(const BpfcoreOptions& options,
                                                 const CoreReport& report,
                                                 const std::vector<CoreProblem>& problems,
                                                 Outputs& outputs) {
  auto write = [](const Outputs::Output& output, std::string_view text) {
    return Outputs::write(output, std::as_bytes(std::span(text)));
  };
  if (options.table) print_text(make_table(report, terminal_width()));
  bool is_for_programs = options.json == "/dev/stdout" || options.html == "/dev/stdout";
  if (!is_for_programs) print_text(summarize(report));
  if (auto ok = flush_output(); !ok) return std::unexpected(OutputProblem{"", ok.error().message});
  if (const Outputs::Output* json = outputs.find("--json")) {
    std::expected<void, OutputProblem> written;
    std::string buffer;
    constexpr size_t enough = 1 << 20;
    write_json(report, problems, [&](std::string_view text) {
      buffer += text;
      if (buffer.size() < enough || !written) return;
      written = write(*json, buffer);
      buffer.clear();
    });
    if (written) written = write(*json, buffer);
    if (!written) return written;
  }
  if (const Outputs::Output* html = outputs.find("--html"))
    return write(*html, make_page(report, problems));
  return {};
}

}  // namespace

std::expected<int, Error> check(const BpfcoreOptions& options) {
  auto inputs = TRY(open_inputs(options));
  TRY(mark_optional(options.optional_programs, inputs.objects));
  TRY(check_settings(options.settings, inputs.objects));
  Outputs outputs;
  for (const auto& [option, path] : {std::pair{"--json", &options.json}, {"--html", &options.html}})
    if (!path->empty())
      if (auto output = outputs.open(option, *path); !output) return fail(output.error().message);
  TRY(check_outputs(outputs, options, inputs));
  std::vector<std::vector<Verdict>> verdicts;  // by object; findings refer to them
  for (CoreObject& object : inputs.objects) {
    object.analyze_code();
    prepare_check(object);
    verdicts.push_back(judge(object, ToldBy::Bpfcore));
  }
  const size_t kernels = inputs.kernels.size();
  CoreReport report{.objects = inputs.objects,
                    .kernels = std::vector<KernelSummary>(kernels),
                    .results = std::vector<std::vector<CoreResults>>(kernels),
                    .unread = inputs.unread,
                    .input_size = inputs.size};
  const Limits limits(inputs);
  std::mutex sharing;
  std::vector<std::vector<std::string>> notes(kernels);
  const bool is_load = options.command == BpfcoreOptions::Command::Load;
  std::vector<std::optional<BootedKernel>> booted(is_load ? kernels : 0);
  // A kernel that cannot be booted does not keep others from it.
  auto leave_out = [&](size_t index, const Error& error) -> std::expected<void, Error> {
    if (!is_load || kernels == 1) return std::unexpected(error);
    report.kernels[index].name = inputs.kernels[index].name;
    for (size_t i = report.results[index].size(); i < inputs.objects.size(); ++i) {
      std::vector<CoreStatus> unknown(inputs.objects[i].object.programs().size(),
                                      CoreStatus::Unknown);
      report.results[index].push_back({.statuses = unknown, .alone = unknown});
    }
    print_error("bpfcore", error);
    return {};
  };
  auto work = [&](size_t index, const Kernel& kernel) -> std::expected<void, Error> {
    report.kernels[index] = {kernel.name, kernel.identity};
    notes[index] = kernel.notes;
    for (size_t i = 0; i < inputs.objects.size(); ++i) {
      const CoreObject& object = inputs.objects[i];
      auto findings = TRY(check_object(object, verdicts[i], kernel, options, limits));
      CoreResults& results = report.results[index].emplace_back(std::move(findings));
      add_statuses(object, results);
      std::lock_guard lock(sharing);
      TRY(share_programs(results.findings, object, report.lists));
    }
    if (!is_load) return {};
    auto prepared = prepare_boot(inputs.kernels[index], kernel, inputs.objects);
    if (!prepared) return leave_out(index, prepared.error());
    booted[index] = std::move(*prepared);
    return {};
  };
  auto done = for_each_kernel(inputs, options.threads, work, leave_out);
  if (done && is_load) done = load_programs(options, inputs, booted, report);
  if (!done) return std::unexpected(done.error());
  sort_kernels(report);
  warn_modules(notes);
  bool has_failed = false;
  auto [problems, omitted] = find_problems(report, options.differences);
  for (const CoreProblem& problem : problems) {
    // What is not known else, the kernel knows.
    if (is_load && !problem.unknown.empty() && problem.finding->need != CoreNeed::Load) continue;
    has_failed |= problem.diagnostic.severity == Severity::Error ||
                  (options.strict && !problem.unknown.empty());
    print_diagnostic("bpfcore", problem.diagnostic);
  }
  has_failed |= omitted != 0;
  if (omitted != 0)
    print_note("bpfcore",
               fmt::format("there are more problems, with {}", count_of(omitted, "finding")));
  if (auto ok = write_reports(options, report, problems, outputs); !ok)
    return fail(ok.error().message);
  if (auto ok = outputs.commit(); !ok) return fail(ok.error().message);
  if (!options.against.empty()) {
    auto is_as_before = TRY(compare_loads(report, options.against));
    has_failed |= !is_as_before;
  }
  if (const int signal = StopOnSignal::signal(); signal != 0) std::raise(signal);
  const int status = is_load ? exit_status_of(report, options.whole) : 0;
  const bool is_complete = inputs.unread.empty();
  if (is_load && !is_complete) return exits::unchecked;
  return status != 0 ? status : has_failed || !is_complete ? exits::failed : 0;
}

}  // namespace bpflink
