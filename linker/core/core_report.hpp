// The results of bpfcore check, which messages, the table, JSON and the page show.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bpflink/diagnostic.hpp"
#include "linker/core/core_complaint.hpp"
#include "linker/core/core_records.hpp"

namespace bpflink {

/// The verdict on a relocation.
struct RelocationVerdict {
  CoreStatus status = CoreStatus::Resolves;
  CoreOutcome outcome = CoreOutcome::Value;
  CoreReason reason = CoreReason::None;
  uint64_t value = 0;
  std::vector<std::string_view> programs{};  ///< as in CoreVerdict
  std::vector<CoreAssumption> assumes{};
  /// It fails only because the kernel's verifier does not understand its guard. If the release is
  /// unknown, that is the verifier of Linux 5.5.
  bool is_guarded_for_newer = false;
  /// Set if it is not bound, or bound to a member of another size or sign.
  std::unique_ptr<CoreComplaint> complaint{};
};

/// The verdict on another thing that a kernel binds: an extern, the target of a program, a helper.
struct CoreFinding {
  std::string kind;  ///< "kfunc", "kernel variable", "config option", "attach target", ...
  std::string name;
  CoreStatus status = CoreStatus::Resolves;
  std::string what{};                   ///< the problem in a sentence, or ""
  std::string note{};                   ///< a remedy, or ""
  bool fails_to_attach = false;         ///< the program loads, but does not attach
  bool is_zero = false;                 ///< weak and absent: the program reads 0
  std::vector<std::string> programs{};  ///< programs that need it; empty: the object does
  /// For a failure: the extern, or the program that needs it; null for neither.
  const InputSymbol* symbol = nullptr;
};

/// An object on a kernel.
struct ObjectVerdict {
  std::vector<RelocationVerdict> relocations;  ///< in the order of ObjectSummary::records
  std::vector<CoreFinding> findings;
};

struct KernelSummary {
  std::string name;
  std::string release, architecture, build_id;  ///< "" if unknown
};

/// A program. By default, a loader skips optional ones.
struct CoreProgram {
  std::string_view name;
  std::string_view section;
  bool is_optional = false;
};

struct ObjectSummary {
  std::string name;
  const ObjectFile* file;
  std::vector<CoreProgram> programs{};
  std::unordered_map<std::string_view, size_t> program_index{};  ///< by name
  std::vector<CoreRecord> records{};
  std::vector<std::string> accesses{};          ///< by record, "struct task_struct.pid"
  std::vector<DiagnosticLocation> locations{};  ///< by record
};

struct CoreReport {
  std::vector<const ObjectSummary*> objects;
  std::vector<KernelSummary> kernels;
  std::vector<std::vector<ObjectVerdict>> verdicts;  ///< by kernel, by object

  /// The status of each program of an object: the worst of everything that it reaches.
  std::vector<CoreStatus> program_statuses(size_t object, size_t kernel) const;
  /// Whether all programs that reach this are optional.
  bool is_optional(size_t object, const std::vector<std::string_view>& programs) const;
};

}  // namespace bpflink
