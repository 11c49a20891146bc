// The command line of bpflink.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "bpflink/error.hpp"
#include "linker/bpflink/link_options.hpp"

namespace bpflink {

struct CommandLine : LinkCommand {
  std::string output;
  /// What to print instead of linking: for --help and --version.
  std::string text;
};

/// Parses the arguments, without the program's name. Errors: what is wrong with
/// which argument.
std::expected<CommandLine, Error> parse_command_line(std::vector<std::string> arguments);

}  // namespace bpflink
