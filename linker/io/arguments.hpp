// Command lines, as both programs take them.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <expected>
#include <string>
#include <vector>

#include "bpflink/error.hpp"

namespace bpflink {

/// What --help says besides the options.
struct HelpTexts {
  std::string usage;    ///< the first lines
  size_t column_width;  ///< where the texts of the options begin
  std::string success;  ///< when the program exits with 0
};

/// Gives `app`, called as its program, -h, --help and --version.
void add_help(CLI::App& app, HelpTexts texts);

/// Gives `app` the option --size-map, which sets `path`.
CLI::Option* add_size_map_option(CLI::App& app, std::string& path);

/// Parses arguments, without the program's name, into what the options of `app`
/// are bound to. `@FILE` stands for the arguments in FILE. `spell`, if there is one, gives
/// each argument the spelling that `app` knows. Returns what to print instead of doing
/// anything, for --help and --version; else "". Errors: those of
/// expand_response_files(); what is wrong with which argument, and what it may
/// have been meant for.
std::expected<std::string, Error> parse_arguments(
    CLI::App& app, std::vector<std::string> arguments,
    std::string (*spell)(const std::string& argument) = nullptr);

/// Demands a number of an option's value.
CLI::Validator in_range(unsigned least, unsigned most);

/// An error of the command line that says where help is.
std::unexpected<Error> usage_error(const CLI::App& app, const std::string& message);

}  // namespace bpflink
