// The command line of bpflink.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "bpflink/error.hpp"
#include "bpflink/linker.hpp"

namespace bpflink {

struct CommandLine {
  struct Input {
    std::string path;  ///< or what -l names
    bool is_library = false;
    bool is_whole_archive = false;
  };
  /// Objects, archives and libraries (-l) in the order given.
  std::vector<Input> inputs;
  std::string output;
  LinkOptions link;

  enum class Color { Auto, Always, Never };
  Color color = Color::Auto;
  size_t error_limit = 20;  ///< 0: none
  bool json_diagnostics = false;
  bool verbose = false;
  bool quiet = false;
  bool print_gc_sections = false;
  /// Of options that have no effect.
  std::vector<std::string> warnings;
  bool cross_references = false;
  bool statistics = false;

  /// What to print instead of linking: for --help and --version.
  std::string text;
};

/// Parses the arguments, without the program's name. Errors: what is wrong with
/// which argument.
std::expected<CommandLine, Error> parse_command_line(std::vector<std::string> arguments);

}  // namespace bpflink
