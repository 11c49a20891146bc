// The command line of btfdedup.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "bpflink/error.hpp"

namespace bpflink {

struct BtfdedupOptions {
  enum class Dump { none, c, raw };

  std::vector<std::string> inputs;
  std::string output;   ///< "" for none
  bool as_elf = false;  ///< the output is an ELF object
  std::string update;   ///< the ELF file whose .BTF to replace, or ""
  std::vector<std::string>
      bases;             ///< the first stands alone, each other is split from those before
  bool flatten = false;  ///< the output stands alone
  bool distill = false;  ///< the output has a section .BTF.base of its own
  std::string linked;    ///< the ELF file that the inputs were linked into, or ""
  bool sort = false;
  std::vector<std::string> explain;
  Dump dump = Dump::none;
  std::string size_map;      ///< the page to write, or ""
  unsigned print_sizes = 0;  ///< how many rows the lists of sizes have; 0: none are printed
  bool check = false;        ///< say whether kernels take the inputs, and do nothing else
  bool verify = false;       ///< warn of what kernels do not take of the output
  bool statistics = false;
  bool as_json = false;
  unsigned threads = 0;
  std::string text;  ///< print this and do nothing else, unless ""
};

std::expected<BtfdedupOptions, Error> parse_options(std::vector<std::string> arguments);

}  // namespace bpflink
