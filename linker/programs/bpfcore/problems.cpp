#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "dedup/for_linker.hpp"
#include "linker/facts/linux_release.hpp"
#include "linker/kernels/kernel_config.hpp"
#include "linker/programs/bpfcore/results.hpp"
#include "linker/text/diagnostics.hpp"
#include "linker/text/locations.hpp"

namespace bpflink {
namespace {

/// How many a message lists.
constexpr size_t max_kernels = 5, max_things = 5, max_programs = 4;

std::string list_kernels(const std::vector<const KernelSummary*>& kernels) {
  return list_of(kernels, max_kernels, [](const KernelSummary* kernel) {
    return kernel->identity.release.empty() ? kernel->name : kernel->identity.release;
  });
}

/// "5.14 to 6.12": from the oldest release to the newest; "" if one is unknown.
std::string release_range(const std::vector<const KernelSummary*>& kernels) {
  const KernelSummary *oldest = nullptr, *newest = nullptr;
  for (const KernelSummary* kernel : kernels) {
    if (kernel->identity.release.empty()) return "";
    if (!oldest || version_code(kernel->identity.release) < version_code(oldest->identity.release))
      oldest = kernel;
    if (!newest || version_code(kernel->identity.release) > version_code(newest->identity.release))
      newest = kernel;
  }
  if (!oldest) return "";
  std::string from = series_of(oldest->identity.release), to = series_of(newest->identity.release);
  return from == to ? from : fmt::format("{} to {}", from, to);
}

class ProblemFinder {
 public:
  ProblemFinder(const CoreReport& report, bool differences)
      : report_(report), differences_(differences) {}

  CoreProblems make() {
    for (size_t object = 0; object < report_.objects.size(); ++object) {
      index_.clear();
      are_optional_.clear();
      for (size_t kernel = 0; kernel < report_.kernels.size(); ++kernel) collect(object, kernel);
    }
    for (size_t i = 0; i < problems_.size(); ++i) {
      CoreProblem& problem = problems_[i];
      problem.programs = merged_.merge(collected_[i].lists);
      describe(problem);
    }
    return {std::move(problems_), omitted_};
  }

 private:
  /// The identity of a problem: its text, and the place in the source or object or the name of what
  /// is needed. For example, all relocations of one access in the source are one.
  using Key = std::tuple<std::string_view, CoreNeed, std::string_view, uint64_t, uint32_t>;

  /// What a problem has of its findings, each once.
  struct Collected {
    std::vector<ProgramList> lists{};
    std::set<const void*> known_lists{};
    std::set<std::string_view> unknown{};
  };

  void collect(size_t index, size_t kernel) {
    const CoreObject& object = report_.objects[index];
    for (const CoreFinding& finding : report_.results[kernel][index].findings) {
      bool fails = finding.status == CoreStatus::Fails;
      bool is_unknown = finding.status == CoreStatus::Unknown && !finding.fails_to_attach;
      if (!finding.complaint) continue;
      // A difference with a remedy harms some loaders.
      bool differs = finding.binding && finding.status == CoreStatus::Resolves &&
                     (differences_ || !finding.complaint->advice.empty());
      if (!fails && !finding.fails_to_attach && !is_unknown && !differs) continue;
      Key key = {finding.complaint->what, finding.need, finding.name, 0, 0};
      if (finding.binding) {
        const DiagnosticLocation& at = object.locations[finding.binding->record];
        key = at.line == 0
                  ? Key(finding.complaint->what, finding.need, at.section, at.offset, 0)
                  : Key(finding.complaint->what, finding.need, at.source, at.line, at.column);
      }
      // All that is settled in one way is one problem.
      if (is_unknown) key = {finding.complaint->advice, CoreNeed::Relocation, "", 0, 0};
      auto number = problem_of(key, {.object = index, .finding = &finding});
      if (!number) {
        ++omitted_;
        continue;
      }
      CoreProblem& problem = problems_[*number];
      Collected& collected = collected_[*number];
      if (problem.kernels.empty() || problem.kernels.back() != kernel)
        problem.kernels.push_back(kernel);
      std::string_view what = finding.complaint->what;
      if (is_unknown && collected.unknown.insert(what).second) problem.unknown.push_back(what);
      bool is_of_all = finding.binding && stops_all(object, *finding.binding);
      if (fails && (is_of_all || !are_optional(object, finding.programs)))
        problem.diagnostic.severity = Severity::Error;
      if (collected.known_lists.insert(finding.programs.identity()).second)
        collected.lists.push_back(finding.programs);
    }
  }

  /// The number of a problem; nothing if it is a new one beyond the limit.
  std::optional<size_t> problem_of(const Key& key, CoreProblem first) {
    constexpr size_t max_problems = 10'000;
    if (auto known = index_.find(key); known != index_.end()) return known->second;
    if (problems_.size() == max_problems) return std::nullopt;
    index_.emplace(key, problems_.size());
    problems_.push_back(std::move(first));
    collected_.emplace_back();
    return problems_.size() - 1;
  }

  /// Whether all of the programs, and at least one, are optional.
  bool are_optional(const CoreObject& object, const ProgramList& programs) {
    auto [known, is_new] = are_optional_.try_emplace(programs.identity());
    auto is_optional = [&](std::string_view name) {
      auto program = object.find_program(name);
      return program && object.is_optional[*program];
    };
    if (is_new) known->second = !programs.empty() && std::ranges::all_of(programs, is_optional);
    return known->second;
  }

  /// Where the object's source has the access, or declares what needs something.
  std::optional<DiagnosticLocation> location(const CoreProblem& problem) {
    const CoreFinding& finding = *problem.finding;
    const CoreObject& object = report_.objects[problem.object];
    if (finding.binding) return object.locations[finding.binding->record];
    if (!finding.places.empty()) {
      const InsnPlace& at = finding.places.front();
      const InputSection& section = object.file().sections[at.section];
      auto place = location_of(object.file(), section, at.offset, finding.name);
      if (place.line != 0) return place;
    }
    if (finding.symbol.empty()) return std::nullopt;
    auto [index, is_new] = symbols_.try_emplace(problem.object);
    if (is_new)
      for (const InputSymbol& symbol : object.file().symbols)
        index->second.try_emplace({symbol.name, symbol.is_defined()}, &symbol);
    auto found = index->second.find({finding.symbol, !is_extern(finding.need)});
    if (found == index->second.end()) return std::nullopt;
    return location_of(object.file(), *found->second);
  }

  void describe(CoreProblem& problem) {
    const CoreComplaint& complaint = *problem.finding->complaint;
    Diagnostic& diagnostic = problem.diagnostic;
    diagnostic.file = report_.objects[problem.object].name;
    std::vector<const KernelSummary*> kernels;
    kernels.reserve(problem.kernels.size());
    for (size_t kernel : problem.kernels) kernels.push_back(&report_.kernels[kernel]);
    bool is_one = report_.kernels.size() == 1;
    std::string where = is_one ? kernels[0]->name
                               : fmt::format("{} of {}", kernels.size(),
                                             count_of(report_.kernels.size(), "kernel"));
    diagnostic.message =
        problem.unknown.empty()
            ? fmt::format("{} in {}", complaint.what, where)
            : fmt::format("not known of {}: {}", where, list_of(problem.unknown, max_things));
    if (auto at = location(problem); at && at->line != 0 && problem.unknown.size() < 2)
      diagnostic.references.emplace_back(ReferenceRole::Subject).location = std::move(*at);
    else
      diagnostic.references.push_back(note("in " + diagnostic.file));
    if (!is_one) {
      std::string range = release_range(kernels);
      std::string which = range.empty() ? count_of(kernels.size(), "kernel")
                                        : fmt::format("{} ({})", range, kernels.size());
      diagnostic.references.push_back(
          note(fmt::format("{} {}: {}", verb_of(problem), which, list_kernels(kernels))));
    }
    if (!problem.programs.empty())
      diagnostic.references.push_back(
          note("needed by program " + list_of(problem.programs, max_programs)));
    if (!complaint.there.empty())
      diagnostic.references.push_back(note("the kernel has: " + complaint.there));
    if (!complaint.here.empty())
      diagnostic.references.push_back(note("the program has: " + complaint.here));
    if (!complaint.advice.empty()) diagnostic.references.push_back(hint(complaint.advice));
  }

  static std::string_view verb_of(const CoreProblem& problem) {
    if (!problem.unknown.empty()) return "these are";
    return problem.finding->status == CoreStatus::Resolves ? "differs on" : "fails on";
  }

  const CoreReport& report_;
  bool differences_;
  std::vector<CoreProblem> problems_;
  std::vector<Collected> collected_;  ///< by problem
  size_t omitted_ = 0;
  std::map<Key, size_t> index_;               ///< of one object's problems
  std::map<const void*, bool> are_optional_;  ///< of one object's lists of programs
  ProgramLists merged_;
  /// By object: its first symbol of each name that is defined, and that is not.
  std::map<size_t, std::map<std::pair<std::string_view, bool>, const InputSymbol*>> symbols_;
};

}  // namespace

CoreProblems find_problems(const CoreReport& report, bool differences) {
  return ProblemFinder(report, differences).make();
}

}  // namespace bpflink
