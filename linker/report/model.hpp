// The model of an output: what it consists of, how large each thing is, what refers to what, and
// what needs it. All reports are drawn from it; --json shows all of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/explain.hpp"
#include "dedup/merge/graph.hpp"
#include "linker/state/dropped_part.hpp"

namespace bpflink {

inline constexpr uint32_t no_node = UINT32_MAX;

/// A name of an input as the model has it: exact, but not too long. A thousand types may share one
/// of a megabyte.
inline std::string cut_name(std::string_view name) {
  constexpr size_t longest = 511;  // as the kernel's
  return std::string(name.substr(0, longest)).append(name.size() > longest ? "..." : "");
}

/// Bytes of one section with one meaning: a function, a variable, a type with its strings, the
/// source lines of a function, padding.
struct Node {
  std::string name;
  std::string_view kind;     ///< "function", "struct", "padding"; bpflink-reports(5) lists them
  uint32_t section = 0;      ///< index in OutputModel::sections
  uint32_t input = no_node;  ///< index in OutputModel::inputs; no_node for what the linker made
  uint64_t bytes = 0;

  std::string_view root = {};  ///< why it stays without a reference: "program", "map"; or ""

  // ModelBuilder::finish() sets the rest. Node 0 stands for the whole output.
  /// The node before it on a shortest chain of references from node 0.
  uint32_t needed_by = 0;
  /// What its chain starts with, if no node is before it but something refers to it: the kind of a
  /// type without a name that nothing refers to, "pointer"; or "circle" of references.
  std::string_view chain_start = {};
  /// The members between the two on that chain, such as "value" or "u.key"; or "".
  std::string member = {};
  /// The nearest other node that all chains from node 0 to it pass through.
  uint32_t dominator = 0;
  /// The bytes of all that it dominates, its own included: they would go with it.
  uint64_t brings = 0;
  /// The program that reaches it; 0 where several do; no_node where none does.
  uint32_t program = no_node;

  /// Of a group that fold_small_nodes() made: how many nodes it stands for.
  uint32_t folded = 0;
};

/// A section of the file, or what is between and around sections.
struct SectionSize {
  std::string name;
  std::string_view kind;  ///< "section", "header" or "padding"
  uint64_t bytes = 0;
};

/// Something with a size.
struct NamedSize {
  std::string name;
  uint64_t bytes = 0;
};

struct ProgramCost {
  std::string name, section, type;
  std::string attach_type = {};   ///< "": loading expects none
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
  uint64_t bytes = 0;    ///< of the full map; if it has values per CPU, for one CPU
  bool per_cpu = false;  ///< each CPU has its own values
  std::string pinning;   ///< "none", "by name" or another number
  std::vector<std::string> programs;
};

struct VariableCost {
  std::string name, section, type, linkage;
  uint64_t bytes = 0;
  std::vector<std::string> programs;
};

/// What a line of source costs.
struct LineCost {
  std::string file;
  uint32_t line = 0;
  uint64_t instructions = 0;  ///< made from it
  uint64_t bytes = 0;         ///< of these, of the line's records, and of its text
};

/// An option that would make the output smaller.
struct Saving {
  std::string option;
  std::string what;    ///< what goes: "source lines and their text"
  uint64_t bytes = 0;  ///< of the file, about
};

struct OutputModel {
  std::string file;
  uint64_t bytes = 0;  ///< of the file: the sum of the nodes, and of the sections
  std::vector<SectionSize> sections = {};
  std::vector<NamedSize> inputs = {};      ///< the objects, and the bytes of the output from each
  std::vector<Node> nodes = {};            ///< the whole output, then what it has, by section
  Graph uses = {};                         ///< which nodes each node refers to, some repeatedly
  std::vector<NamedSize> categories = {};  ///< by category_of(), the largest first
  std::vector<DroppedPart> dropped = {};
  std::vector<ProgramCost> programs = {};
  std::vector<MapCost> maps = {};
  std::vector<VariableCost> variables = {};
  std::vector<LineCost> lines = {};  ///< the costliest first
  std::vector<Saving> savings = {};  ///< the largest first
  std::vector<SplitTag> tags = {};
};

/// The category of a kind of node, one of nine: "code", "data", "maps", "types", "source lines",
/// "CO-RE", "relocations", "symbols", "other".
std::string_view category_of(std::string_view kind);

/// A node as people call it: "struct task_struct", "program on_exec", "flows".
std::string describe(const Node& node);

/// The chain of references that leads to a node: "program on_exec -> trace.bpf.c:14 -> struct
/// task_struct", "map flows -> value -> struct conn". The middle of a long chain is omitted.
std::string describe_chain(const OutputModel& model, uint32_t node);

}  // namespace bpflink
