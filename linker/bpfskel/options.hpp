// The command line of bpfskel.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "bpflink/error.hpp"
#include "linker/bpflink/link_options.hpp"

namespace bpflink {

struct BpfskelOptions : LinkCommand {
  enum class Language { C, Cpp, Rust };

  std::string output;  ///< where the skeleton is written
  std::string name;    ///< of the skeleton, an identifier
  Language language = Language::C;
  bool subskeleton = false;  ///< of a library, in C

  /// What to print instead of anything else: for --help and --version.
  std::string text;
};

/// Parses the arguments, without the program's name. Errors: what is wrong with
/// which argument.
std::expected<BpfskelOptions, Error> parse_bpfskel_options(std::vector<std::string> arguments);

}  // namespace bpflink
