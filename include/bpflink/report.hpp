// What a link did, in figures and text.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bpflink {

/// Filled in if LinkOptions::report asks for it; complete after a link that succeeded.
struct LinkReport {
  /// The paths of the files that were read, in order: objects, archives, members of thin archives.
  std::vector<std::string> files;

  uint64_t objects = 0;       ///< objects linked, members of archives among them
  uint64_t input_types = 0;   ///< BTF types of all objects
  uint64_t output_types = 0;  ///< BTF types of the output
  uint64_t input_bytes = 0;   ///< bytes of the linked sections, without BTF and symbols
  uint64_t output_bytes = 0;  ///< bytes of the output's sections, without BTF and symbols
  uint64_t relocations = 0;   ///< in the output
  uint64_t symbols = 0;       ///< in the output, local ones among them
  /// The passes in their order, with the seconds that each took.
  std::vector<std::pair<std::string, double>> passes;

  /// Where each fragment of each input went, and what was dropped and why (`--Map`).
  std::string map;
  /// Each global symbol with the inputs that define it and that refer to it (`--cref`).
  std::string cross_references;
  /// Why each symbol or type of LinkOptions::explain is or is not in the output (`--explain`).
  std::string explanations;
  /// What is large, as lists (`--print-sizes`).
  std::string sizes;
};

}  // namespace bpflink
