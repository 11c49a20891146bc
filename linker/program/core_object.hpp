// A BPF object and the tables that a check needs of it.
#pragma once

#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bpflink/core.hpp"
#include "bpflink/diagnostic.hpp"
#include "bpflink/object.hpp"
#include "linker/program/code_graph.hpp"
#include "linker/program/core_finding.hpp"
#include "linker/program/object_contents.hpp"

namespace bpflink {

/// A relocation of .BTF.ext.
struct CoreRecord {
  uint32_t section;  ///< index of the section of code
  uint32_t index;    ///< in that section's list in .BTF.ext
  uint64_t offset;   ///< bytes into the section
  CoreRelocation relocation;
  const InputSymbol* function;  ///< the function that contains the instruction
};

/// An object, its relocations and all else that a kernel binds.
struct CoreObject {
  std::string name;
  Object object;
  /// In the order of .BTF.ext. Like loaders, this skips relocations in code of no function, which
  /// libbpf's linker leaves of losing weak functions.
  std::vector<CoreRecord> records{};
  /// By program: by default, a loader skips it, or it may fail.
  std::vector<bool> is_optional{};

  // Set by prepare_check().
  std::vector<std::string> accesses{};          ///< by record, "struct task_struct.pid"
  std::vector<DiagnosticLocation> locations{};  ///< by record

  // Set by analyze_code().
  std::unique_ptr<CodeGraph> graph{};
  std::map<uint32_t, std::vector<InsnPlace>> helper_calls{};         ///< by the helper's id
  std::map<std::string_view, std::vector<InsnPlace>> kfunc_calls{};  ///< by the extern's name
  std::map<std::string_view, std::vector<InsnPlace>> map_uses{};     ///< by the map's name
  std::map<std::string_view, std::vector<InsnPlace>> ksym_uses{};    ///< by the variable's name

  CoreObject(std::string object_name, Object view)
      : name(std::move(object_name)), object(std::move(view)) {}

  const ObjectFile& file() const { return ObjectAccess::file(object); }
  /// Whether a loader passes over a relocation: it is in a program that is not loaded by default.
  bool is_skipped(const CoreRecord& record) const;
  /// The index of the program of that name, if there is one.
  std::optional<size_t> find_program(std::string_view program) const;

  /// Reads `image`, which must outlive the result. Errors: those of Object::parse(); a program, map
  /// or extern has a longer name than kernels accept.
  static std::expected<CoreObject, Error> read(std::string name, std::span<const std::byte> image);
  /// Finds what a check needs besides relocations.
  void analyze_code();
};

/// Whether a file is an object for BPF, not a kernel. Errors: a malformed ELF file.
std::expected<bool, Error> is_bpf_object(std::span<const std::byte> image);

}  // namespace bpflink
