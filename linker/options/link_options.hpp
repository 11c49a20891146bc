// The options of a link, for bpflink, bpfskel and the library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bpflink/linker.hpp"
#include "linker/text/options.hpp"

namespace bpflink {

/// The values of the options of a link: what to link, how, and what to print.
struct LinkCommand {
  struct Input {
    std::string path;  ///< or the name of a library
    bool is_library = false;
    bool is_whole_archive = false;
  };

  std::vector<Input> inputs;  ///< objects, archives and libraries, in the order given
  LinkOptions link;
  std::optional<bool> color;  ///< without a value, by the terminal
  unsigned error_limit = 20;  ///< 0: none
  bool json_diagnostics = false;
  bool verbose = false;
  bool quiet = false;
  bool print_gc_sections = false;
  bool shrink = false;
  bool cross_references = false;
  bool statistics = false;
  std::string reproduce_file;         ///< "" for none
  bool reproduce_all = false;         ///< also files that only archives name, wherever they are
  std::string log_file;               ///< that messages are appended to; "" for none
  std::vector<std::string> warnings;  ///< about options without effect

  /// The command line, for reproduce_file.
  std::vector<OptionTable::Given> given;

  /// Whether the following archives are linked whole.
  bool whole_archive = false;
  bool strip_debug = false;

  /// Whether the user asked for such a diagnostic.
  bool wants(const Diagnostic& diagnostic) const;

  /// Adds the inputs to the linker.
  void add_inputs(Linker& linker) const;
};

/// The options of every link under their headings, general ones first. They fill in `command`,
/// which must not move.
std::vector<OptionGroup> link_options(LinkCommand& command);

/// The action of arguments that are not options: inputs.
OptionAction add_input(LinkCommand& command);

/// Completes the options of a link after parsing. Errors: options contradict each other; a report
/// cannot be written to its file.
std::expected<void, Error> complete_link_options(LinkCommand& command, const OptionTable& table);

/// Does the same for a program, and looks for options without effect. Errors also: there is no
/// input.
std::expected<void, Error> finish_link_options(LinkCommand& command, const OptionTable& table);

}  // namespace bpflink
