// What a link did, in figures and text.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bpflink {

/// Asked for with LinkOptions::report; complete after a link that went well.
struct LinkReport {
  /// The files that were read, by path and in order: objects, archives, and the
  /// members of thin archives.
  std::vector<std::string> files;

  uint64_t objects = 0;       ///< objects linked, members of archives among them
  uint64_t input_types = 0;   ///< BTF types of all objects
  uint64_t output_types = 0;  ///< BTF types of the output
  uint64_t input_bytes = 0;   ///< of the sections that are linked
  uint64_t output_bytes = 0;  ///< of the output's sections
  uint64_t relocations = 0;   ///< in the output
  uint64_t symbols = 0;       ///< in the output, local ones among them
  /// The passes with the seconds that each took, in the order in which they ran.
  std::vector<std::pair<std::string, double>> passes;

  /// Where every fragment of every input went, and what was dropped and why (`--Map`).
  std::string map;
  /// Each global symbol, who defines it and who refers to it (`--cref`).
  std::string cross_references;
  /// Why each symbol or type of LinkOptions::explain is in the output or is not (`--explain`).
  std::string explanations;
  /// What is large, as lists (`--print-sizes`).
  std::string sizes;
};

}  // namespace bpflink
