// The command line of bpfskel.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "bpflink/error.hpp"
#include "linker/options/link_options.hpp"
#include "linker/skeleton/emit.hpp"

namespace bpflink {

struct BpfskelOptions : LinkCommand {
  std::string output;  ///< the path of the skeleton
  std::string name;    ///< of the skeleton
  SkeletonKind language = SkeletonKind::C;
  bool subskeleton = false;  ///< of a library, in C

  /// The text to print instead of running, for --help and --version.
  std::string text;
};

/// Parses the arguments, without the program's name. Errors describe a bad argument.
std::expected<BpfskelOptions, Error> parse_bpfskel_options(std::vector<std::string> arguments);

}  // namespace bpflink
