#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "dedup/internal.hpp"
#include "linker/bpfcore/outputs.hpp"
#include "linker/diagnostics/diagnostics.hpp"
#include "linker/diagnostics/locations.hpp"
#include "linker/kernels/kernel_config.hpp"

namespace bpflink {
namespace {

/// How many kernels a message lists.
constexpr size_t max_kernels = 5;

/// "5.14" for "5.14.0-70.el9".
std::string series_of(const std::string& release) {
  auto code = version_code(release);
  return code ? fmt::format("{}.{}", *code >> 16, *code >> 8 & 0xff) : release;
}

std::string list_kernels(const std::vector<const KernelSummary*>& kernels) {
  std::string names;
  for (size_t i = 0; i < std::min(kernels.size(), max_kernels); ++i)
    names += (i == 0 ? "" : ", ") +
             (kernels[i]->release.empty() ? kernels[i]->name : kernels[i]->release);
  if (kernels.size() > max_kernels)
    names += fmt::format(" and {} more", kernels.size() - max_kernels);
  return names;
}

/// A problem and its places.
struct Problem {
  Severity severity = Severity::Warning;
  std::string what;
  std::optional<DiagnosticLocation> location{};
  std::string there{}, hint{};
  std::vector<std::string_view> programs{};
  std::vector<size_t> kernels{};
};

class ProblemFinder {
 public:
  ProblemFinder(const CoreReport& report, bool differences)
      : report_(report), differences_(differences) {}

  std::vector<CoreProblem> make() {
    for (size_t object = 0; object < report_.objects.size(); ++object) {
      problems_.clear();
      index_.clear();
      for (size_t kernel = 0; kernel < report_.kernels.size(); ++kernel)
        collect(object, kernel, report_.verdicts[kernel][object]);
      for (const Problem& problem : problems_)
        found_.push_back(
            {object, problem.kernels, problem.programs, to_diagnostic(object, problem)});
    }
    return std::move(found_);
  }

 private:
  /// The identity of a problem: for example, all relocations of one access in the source are one.
  using Key = std::tuple<std::string, std::string, uint32_t, uint32_t, std::string>;

  void collect(size_t object, size_t kernel, const ObjectVerdict& verdict) {
    const ObjectSummary& summary = *report_.objects[object];
    for (size_t i = 0; i < verdict.relocations.size(); ++i) {
      const RelocationVerdict& relocation = verdict.relocations[i];
      bool fails = relocation.status == CoreStatus::Fails;
      bool differs = differences_ && relocation.status == CoreStatus::Resolves;
      if (!relocation.complaint || !(fails || differs)) continue;
      const CoreComplaint& complaint = *relocation.complaint;
      const DiagnosticLocation& at = summary.locations[i];
      std::string access = at.line == 0 ? fmt::format("{}+{}", at.section, at.offset) : at.source;
      Problem& problem = problem_of({complaint.what, access, at.line, at.column, ""}, kernel);
      bool stops_all = relocation.outcome == CoreOutcome::Failed;
      bool is_error = fails && (stops_all || !report_.is_optional(object, relocation.programs));
      add_users(problem, relocation.programs, is_error);
      if (!problem.what.empty()) continue;
      problem.what = complaint.what;
      problem.location = at;
      problem.there = complaint.there;
      if (fails && !stops_all)
        problem.hint =
            relocation.is_guarded_for_newer ? guard_advice(kernel) : advise(complaint, kernel);
    }
    for (const CoreFinding& finding : verdict.findings) {
      if (finding.status != CoreStatus::Fails && !finding.fails_to_attach) continue;
      Problem& problem = problem_of({finding.what, finding.kind, 0, 0, finding.name}, kernel);
      std::vector<std::string_view> programs(finding.programs.begin(), finding.programs.end());
      add_users(problem, programs,
                !finding.fails_to_attach && !report_.is_optional(object, programs));
      if (!problem.what.empty()) continue;
      problem.what = finding.what;
      if (finding.symbol) problem.location = location_of(*summary.file, *finding.symbol);
      problem.hint = finding.note;
    }
  }

  static void add_users(Problem& problem, const std::vector<std::string_view>& programs,
                        bool is_error) {
    if (is_error) problem.severity = Severity::Error;
    for (std::string_view program : programs)
      if (std::ranges::find(problem.programs, program) == problem.programs.end())
        problem.programs.push_back(program);
  }

  Problem& problem_of(const Key& key, size_t kernel) {
    auto [entry, is_new] = index_.try_emplace(key, problems_.size());
    if (is_new) problems_.emplace_back();
    Problem& problem = problems_[entry->second];
    if (problem.kernels.empty() || problem.kernels.back() != kernel)
      problem.kernels.push_back(kernel);
    return problem;
  }

  /// Advice on a guard that a verifier does not understand.
  std::string guard_advice(size_t kernel) const {
    const std::string& release = report_.kernels[kernel].release;
    if (release.empty())
      return "it is guarded if the kernel's verifier is new enough: give its --release";
    return fmt::format("it is guarded, but the verifier of {} does not understand the guard",
                       series_of(release));
  }

  std::string advise(const CoreComplaint& complaint, size_t kernel) const {
    if (complaint.advice.empty()) return "";
    std::string text = "guard it with " + complaint.advice;
    if (complaint.flavor_tag.empty()) return text;
    std::string suffix = series_of(report_.kernels[kernel].release);
    std::ranges::replace(suffix, '.', '_');
    return fmt::format("{}, or read a flavor: {}___{} {}", text, complaint.flavor_tag,
                       suffix.empty() ? "v2" : suffix, complaint.flavor_body);
  }

  Diagnostic to_diagnostic(size_t object, const Problem& problem) const {
    Diagnostic diagnostic{.severity = problem.severity, .message = problem.what};
    diagnostic.file = report_.objects[object]->name;
    std::vector<const KernelSummary*> kernels;
    kernels.reserve(problem.kernels.size());
    for (size_t kernel : problem.kernels) kernels.push_back(&report_.kernels[kernel]);
    bool is_one = report_.kernels.size() == 1;
    diagnostic.message +=
        is_one ? " in " + kernels[0]->name
               : fmt::format(" in {} of {} kernels", kernels.size(), report_.kernels.size());
    if (problem.location)
      diagnostic.references.emplace_back(ReferenceRole::Subject).location = *problem.location;
    else
      diagnostic.references.push_back(note("in " + diagnostic.file));
    if (!is_one) {
      std::string range = release_range(kernels);
      std::string which = range.empty() ? count_of(kernels.size(), "kernel")
                                        : fmt::format("{} ({})", range, kernels.size());
      diagnostic.references.push_back(
          note(fmt::format("fails on {}: {}", which, list_kernels(kernels))));
    }
    if (!problem.programs.empty()) diagnostic.references.push_back(note(needed_by(problem)));
    if (!problem.there.empty())
      diagnostic.references.push_back(note("the kernel has: " + problem.there));
    if (!problem.hint.empty()) diagnostic.references.push_back(hint(problem.hint));
    return diagnostic;
  }

  static std::string needed_by(const Problem& problem) {
    constexpr size_t max_programs = 4;
    std::string text = "needed by program ";
    for (size_t i = 0; i < std::min(problem.programs.size(), max_programs); ++i)
      text += fmt::format("{}{}", i == 0 ? "" : ", ", problem.programs[i]);
    if (problem.programs.size() > max_programs)
      text += fmt::format(" and {} more", problem.programs.size() - max_programs);
    return text;
  }

  const CoreReport& report_;
  bool differences_;
  std::vector<Problem> problems_;
  std::map<Key, size_t> index_;
  std::vector<CoreProblem> found_;
};

}  // namespace

std::string release_range(const std::vector<const KernelSummary*>& kernels) {
  const KernelSummary *oldest = nullptr, *newest = nullptr;
  for (const KernelSummary* kernel : kernels) {
    if (kernel->release.empty()) return "";
    if (!oldest || version_code(kernel->release) < version_code(oldest->release)) oldest = kernel;
    if (!newest || version_code(kernel->release) > version_code(newest->release)) newest = kernel;
  }
  if (!oldest) return "";
  std::string from = series_of(oldest->release), to = series_of(newest->release);
  return from == to ? from : fmt::format("{} to {}", from, to);
}

std::vector<CoreProblem> find_problems(const CoreReport& report, bool differences) {
  return ProblemFinder(report, differences).make();
}

}  // namespace bpflink
