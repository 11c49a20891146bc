// The command line of bpflink, and the options that the library takes in its spelling.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <vector>

#include "bpflink/error.hpp"
#include "linker/options/link_options.hpp"

namespace bpflink {

struct CommandLine : LinkCommand {
  std::string output;
  /// What to print instead of linking: for --help and --version.
  std::string text;
};

/// The options of bpflink under their headings. They fill in `command`, which must not move.
std::vector<OptionGroup> bpflink_options(CommandLine& command);

/// Parses the arguments, without the program's name. Errors: what is wrong with
/// which argument. `as_bpf_linker` says that the program was called by that name.
std::expected<CommandLine, Error> parse_command_line(std::vector<std::string> arguments,
                                                     bool as_bpf_linker);

/// Parses options for the library, all but those of the program. Errors: what is wrong with which
/// option.
std::expected<LinkCommand, Error> parse_library_options(std::span<const std::string> options);

}  // namespace bpflink
