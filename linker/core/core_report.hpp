// What was found out about objects and kernels: what messages, the table, JSON and the page show.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/diagnostic.hpp"
#include "linker/core/core_complaint.hpp"
#include "linker/core/core_records.hpp"

namespace bpflink {

/// What is to be told of a relocation.
struct RelocationVerdict {
  CoreStatus status = CoreStatus::Resolves;
  CoreOutcome outcome = CoreOutcome::Value;
  CoreReason reason = CoreReason::None;
  uint64_t value = 0;
  std::vector<std::string_view> programs{};  ///< as CoreVerdict has them
  std::vector<CoreAssumption> assumes{};
  /// It fails, and only because the kernel's verifier, or the oldest where it is not known which,
  /// does not understand what guards it.
  bool is_guarded_for_newer = false;
  /// Where it is not bound, or to a member of another size or sign.
  std::unique_ptr<CoreComplaint> complaint{};
};

/// Something else that a kernel binds: an extern, the target of a program, a helper.
struct CoreFinding {
  std::string kind;  ///< "kfunc", "ksym", "kconfig", "attach", "struct_ops", "helper", ...
  std::string name;
  CoreStatus status = CoreStatus::Resolves;
  std::string what;                     ///< of a failure: "kfunc 'bpf_foo' does not exist"
  std::string note{};                   ///< what would help, or ""
  bool fails_to_attach = false;         ///< what is wrong stops no load, but the attachment
  bool is_zero = false;                 ///< it is weak, not there, and 0 to the program
  std::vector<std::string> programs{};  ///< that need it; empty: the object does
  std::optional<DiagnosticLocation> location{};
};

/// An object on a kernel.
struct ObjectVerdict {
  std::vector<RelocationVerdict> relocations;  ///< as CoreObject::records() has them
  std::vector<CoreFinding> findings;
};

struct KernelSummary {
  std::string name;
  std::string release, architecture, build_id;  ///< "" for what is not known
};

/// A program and whether it is loaded unless someone asks for more.
struct CoreProgram {
  std::string_view name;
  std::string_view section;
  bool is_optional = false;
};

struct ObjectSummary {
  std::string name;
  const ObjectFile* file;
  std::vector<CoreProgram> programs{};
  std::vector<CoreRecord> records{};
  std::vector<std::string> accesses{};          ///< by record, "struct task_struct.pid"
  std::vector<DiagnosticLocation> locations{};  ///< by record
};

struct CoreReport {
  std::vector<ObjectSummary> objects;
  std::vector<KernelSummary> kernels;
  std::vector<std::vector<ObjectVerdict>> verdicts;  ///< by kernel, by object

  /// What the programs of an object come to on a kernel, each the worst of what it reaches.
  std::vector<CoreStatus> program_statuses(size_t object, size_t kernel) const;
  /// Whether all programs that reach this are optional.
  bool is_optional(size_t object, const std::vector<std::string_view>& programs) const;
};

}  // namespace bpflink
