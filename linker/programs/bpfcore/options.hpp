// The command line of bpfcore.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <vector>

#include "bpflink/error.hpp"
#include "linker/kernels/kernel_source.hpp"

namespace bpflink {

struct BpfcoreOptions {
  enum class Command : uint8_t { Check, Load, Minimize };

  std::string text;  ///< text to print instead of running
  Command command = Command::Check;
  std::vector<std::string> files;    ///< objects and kernels, distinguished by their contents
  std::vector<std::string> kernels;  ///< files that are kernels, whatever they look like
  KernelOptions known;               ///< what is known of all kernels
  unsigned threads = 0;

  // check
  std::map<std::string, uint64_t> settings;  ///< variables of .rodata
  bool strict = false;
  std::vector<std::string> optional_programs;
  bool differences = false;
  bool table = false;
  std::string html, json;

  // load
  bool whole = false;
  std::string btf;         ///< a file, or ""
  std::string log, cache;  ///< directories, or ""
  std::string against;     ///< a report, or ""
  unsigned timeout = 120;  ///< seconds
  unsigned jobs = 1;
  unsigned memory = 2048;  ///< MiB
  unsigned processors = 1;

  // minimize
  std::string output;   ///< a directory
  std::string archive;  ///< a file
  bool merge = false;
};

/// Errors describe what is wrong with the command line.
std::expected<BpfcoreOptions, Error> parse_bpfcore_options(std::vector<std::string> arguments);

}  // namespace bpflink
