// The command line of btfdedup.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "bpflink/check.hpp"
#include "bpflink/error.hpp"
#include "dedup/dwarf/functions.hpp"

namespace bpflink {

/// What is encoded of DWARF: the features of pahole that may be switched off.
struct DwarfFeatures {
  DwarfKinds kinds{};
  bool variables = true;          ///< per-CPU variables
  bool global_variables = false;  ///< all others
  bool kfunc_tags = true;
  bool attributes = false;  ///< of pointers into arenas
  bool layout = false;      ///< a layout section, unless there is a base
};

struct BtfdedupOptions {
  enum class Dump { None, C, Rust, Raw };

  std::vector<std::string> inputs;
  std::string output;              ///< "" for none
  bool as_elf = false;             ///< make the output an ELF object
  std::string update;              ///< the ELF file whose .BTF to replace, or ""
  std::vector<std::string> bases;  ///< each is split from those before it
  bool flatten = false;            ///< the output has no base
  bool distill = false;            ///< the output has a section .BTF.base
  std::string linked;              ///< the ELF file that the inputs were linked into, or ""
  bool dwarf = false;              ///< read DWARF, not BTF
  DwarfFeatures features;
  std::vector<uint16_t> excluded_languages;  ///< of DWARF, by its numbers
  bool fills_btf_ids = true;                 ///< --update --dwarf fills .BTF_ids
  bool sort = false;
  std::vector<std::string> explain;
  Dump dump = Dump::None;
  /// Which types to take, as given.
  struct Choice {
    std::vector<std::string> types, members, except;
    std::vector<std::string> programs;  ///< files
    bool deep = false;
    bool is_given() const { return !types.empty() || !members.empty() || !programs.empty(); }
  } choice;
  std::string size_map;                   ///< the page to write, or ""
  unsigned print_sizes = 0;               ///< rows in the lists of sizes; 0: no lists
  std::optional<LinuxRelease> target;     ///< whose form the output gets
  std::optional<uint16_t> target_update;  ///< 20 of linux-6.1.20
  bool check = false;                     ///< only report whether kernels accept the inputs
  bool verify = false;                    ///< warn about types in the output that kernels reject
  bool verbose = false;  ///< list the functions and variables that the output lacks
  bool statistics = false;
  bool as_json = false;
  unsigned threads = 0;
  /// Whether the inputs are modules, each of which is deduplicated alone: all are updated, or the
  /// output is a directory.
  bool each_alone = false;
  std::string text;  ///< text to print instead of running

  /// Whether something goes to standard output.
  bool prints() const {
    return !explain.empty() || print_sizes != 0 || dump != Dump::None || statistics;
  }
};

std::expected<BtfdedupOptions, Error> parse_options(std::vector<std::string> arguments);

}  // namespace bpflink
