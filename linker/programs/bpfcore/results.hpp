// The results of bpfcore check, and the reports that show them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/diagnostic.hpp"
#include "linker/program/core_finding.hpp"
#include "linker/programs/bpfcore/inputs.hpp"

namespace bpflink {

/// What a booted kernel did with a program.
struct LoadResult {
  enum class Kind : uint8_t {
    NotRun,  ///< the kernel did not get to it
    Loads,
    Refused,   ///< by the verifier
    Loader,    ///< refused by libbpf: the kernel was not asked
    Failed,    ///< by the kernel, for something else than its code: a map, its BTF
    Lacks,     ///< not known: the guest lacks memory, or a configuration
    Together,  ///< another program that is loaded with it was refused
    Ended,     ///< the loader or the kernel crashed, or took too long
  };
  Kind kind = Kind::NotRun;
  int error = 0;           ///< errno
  bool lacks_btf = false;  ///< the kernel refused its BTF: it is checked less
  std::string message{};   ///< why it does not load, in one line
  std::string advice{};    ///< what would settle it, or ""
  /// The last instruction that the verifier looked at, if it is in the program itself, and the
  /// source that it shows for it, or "".
  std::optional<InsnPlace> place{};
  std::string source{};
  /// The verifier's counts; 0 if it gave none.
  uint64_t instructions = 0, states = 0, peak_states = 0, microseconds = 0;
  CoreStatus predicted = CoreStatus::Unknown;  ///< what check says
  /// Whether the kernel disagrees about something that check claims to know.
  bool disagrees = false;

  bool loads() const { return kind == Kind::Loads; }
};

/// What reports call it: guests and JSON, a cell of the table, and its legend.
struct LoadKindName {
  std::string_view word;
  char letter;
  std::string_view meaning;
};
const LoadKindName& name_of(LoadResult::Kind kind);

/// The check of an object on a kernel.
struct CoreResults {
  /// First one for each of the object's relocations, in their order.
  std::vector<CoreFinding> findings{};
  /// By program: the worst status of all that it reaches, and of what the programs reach that a
  /// struct_ops map loads with it.
  std::vector<CoreStatus> statuses{};
  /// The same without the other programs of its maps.
  std::vector<CoreStatus> alone{};
  /// By program, if the kernel was booted; the statuses are what it did, then.
  std::vector<LoadResult> loads{};
};

struct CoreReport {
  const std::vector<CoreObject>& objects;
  std::vector<KernelSummary> kernels;
  std::vector<std::vector<CoreResults>> results;  ///< by kernel, by object
  std::vector<std::string> unread{};              ///< objects that could not be read
  /// The lists of programs of all findings: equal ones are one list.
  ProgramLists lists{};
  uint64_t input_size = 0;  ///< bytes of objects and kernels
};

/// Whether the finding for a relocation keeps the whole object from loading.
inline bool stops_all(const CoreObject& object, const CoreBinding& binding) {
  return binding.outcome == CoreOutcome::Failed &&
         !object.is_skipped(object.records[binding.record]);
}

/// A problem, such as an access to a missing member: all findings that are alike.
struct CoreProblem {
  size_t object;                     ///< index of the object
  const CoreFinding* finding;        ///< the first of them
  std::vector<size_t> kernels = {};  ///< indices of the kernels that have it
  ProgramList programs = {};         ///< programs that reach it; empty: all of the object
  /// What is not known, if that is the problem: "kernel function f".
  std::vector<std::string_view> unknown = {};
  /// An error; a warning if only optional programs reach it.
  Diagnostic diagnostic = {.severity = Severity::Warning, .message = ""};
};

/// Problems, in the order of the findings.
struct CoreProblems {
  std::vector<CoreProblem> list;
  size_t omitted = 0;  ///< findings of further problems: there are too many
};

/// All failures, and what is not known. With `differences`, also a warning for each member that is
/// bound but has another size or sign.
CoreProblems find_problems(const CoreReport& report, bool differences);

/// Programs by kernels, as text. Kernels side by side that are alike share a column. Lines have at
/// most `terminal_width` characters, if that is not 0 and leaves room for one column.
std::string make_table(const CoreReport& report, size_t terminal_width);

/// "12 of 14 programs fit all 150 kernels", as a line.
std::string summarize(const CoreReport& report);

/// Writes the whole report in the format of core.schema.json, in several calls of `write`.
void write_json(const CoreReport& report, const std::vector<CoreProblem>& problems,
                const std::function<void(std::string_view)>& write);

/// Programs by kernels, with the problems, as a page for browsers. It has the JSON of write_json()
/// without each relocation and finding, which are many and which it does not show.
std::string make_page(const CoreReport& report, const std::vector<CoreProblem>& problems);

/// The page around its data: HTML, style and script of the folder `page`.
extern const std::string_view core_page_before, core_page_after;

}  // namespace bpflink
