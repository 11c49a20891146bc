// A BPF object and the tables that bpfcore needs of it.
#pragma once

#include <expected>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bpflink/object.hpp"
#include "linker/core/code_graph.hpp"
#include "linker/core/core_report.hpp"

namespace bpflink {

/// A call of a helper.
struct HelperCall {
  uint32_t section;
  uint64_t offset;  ///< bytes into the section
};

/// An object, its programs, its relocations and all else that a kernel binds.
struct CoreObject {
  ObjectSummary summary;
  Object object;

  // Set by analyze_code().
  std::unique_ptr<const CodeGraph> graph{};
  std::map<uint32_t, std::vector<HelperCall>> helper_calls{};  ///< by the helper's id

  const ObjectFile& file() const { return *summary.file; }

  /// Reads `image`, which must outlive the result. Errors: those of Object::parse().
  static std::expected<CoreObject, Error> read(std::string name, std::span<const std::byte> image);
  /// Finds what a check needs besides relocations: the graph, the calls of helpers, and `accesses`
  /// and `locations` of the summary.
  void analyze_code();
};

/// Whether a file is an object with programs, not a kernel: an ELF file for BPF with program code
/// or CO-RE relocations. Errors: a malformed ELF file.
std::expected<bool, Error> is_program(std::span<const std::byte> image);

}  // namespace bpflink
