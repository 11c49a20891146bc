// All that a link tells of its output: what --json writes, and what the page of --size-map shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/explain.hpp"

namespace bpflink {

/// Bytes with one meaning: a function, a variable, a type with its strings, padding.
struct SizePart {
  std::string name;
  std::string_view kind;  ///< "function", "struct", "padding"; the manual page has them all
  uint64_t bytes = 0;
};

/// What came from one place: an input file, a declaration that brought types in, a function.
struct SizeGroup {
  std::string name;
  std::string_view kind;
  std::vector<SizePart> parts = {};
  uint64_t bytes = 0;  ///< of the parts together

  void add(SizePart part) {
    bytes += part.bytes;
    parts.push_back(std::move(part));
  }
};

/// A section of the output's file, or what is between and around sections.
struct SizeSection {
  std::string name;
  std::string_view kind;  ///< "section", "header" or "padding"
  std::vector<SizeGroup> groups = {};
  uint64_t bytes = 0;  ///< of the groups together

  void add(SizeGroup group) {
    bytes += group.bytes;
    groups.push_back(std::move(group));
  }
};

/// What an input had and the output has not.
struct DroppedPart {
  std::string file, section, name, reason;
  uint64_t bytes = 0;
};

struct ProgramCost {
  std::string name, section, type;
  uint64_t instructions = 0;      ///< slots of 8 bytes
  uint64_t all_instructions = 0;  ///< with those of the subprograms
  uint64_t stack = 0;             ///< bytes of its own frame, as far as the code shows
  /// Bytes of the deepest chain of calls; nothing where a function may call itself.
  std::optional<uint64_t> deepest_stack = 0;
  std::vector<std::string> subprograms = {}, maps = {}, variables = {};
};

struct MapCost {
  std::string name, type, key, value;
  uint32_t key_size = 0, value_size = 0, entries = 0;
  uint64_t bytes = 0;    ///< that it may ask for; of a map with values per CPU, for one CPU
  bool per_cpu = false;  ///< the values are there once for each CPU
  std::string pinning;   ///< "none", "by name" or another number
  std::vector<std::string> programs;
};

struct VariableCost {
  std::string name, section, type, linkage;
  uint64_t bytes = 0;
  std::vector<std::string> programs;
};

struct OutputReport {
  std::string file;
  uint64_t bytes = 0;  ///< of the file; the sections together have as many
  std::vector<SizeSection> sections = {};
  std::vector<DroppedPart> dropped = {};
  std::vector<ProgramCost> programs = {};
  std::vector<MapCost> maps = {};
  std::vector<VariableCost> variables = {};
  std::vector<SplitTag> tags = {};
};

}  // namespace bpflink
