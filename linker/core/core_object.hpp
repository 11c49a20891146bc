// A BPF object with what bpfcore needs of it.
#pragma once

#include <expected>
#include <memory>
#include <span>
#include <string>

#include "bpflink/object.hpp"
#include "linker/core/code_graph.hpp"
#include "linker/core/core_report.hpp"

namespace bpflink {

/// An object, its programs, its relocations and whatever else a kernel binds.
struct CoreObject {
  ObjectSummary summary;
  std::unique_ptr<ObjectFile> file;
  Object object;
  std::unique_ptr<const CodeGraph> graph{};

  /// Reads `image`, which must outlive the result. Errors: those of Object::parse().
  static std::expected<CoreObject, Error> read(std::string name, std::span<const std::byte> image);
  /// Finds out what check_relocations() and its reports need beside: the graph, and of the summary
  /// `accesses` and `locations`.
  void look_at_code();
};

/// Whether a file is an object with programs, not a kernel: an ELF file for BPF with code that is
/// loaded by itself, or with CO-RE relocations.
bool is_program(std::span<const std::byte> image);

}  // namespace bpflink
