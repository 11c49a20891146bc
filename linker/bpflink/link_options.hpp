// The options of a link, as bpflink and bpfskel take them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bpflink/linker.hpp"
#include "linker/io/options.hpp"

namespace bpflink {

/// What the options of a link say: what to link, how, and what to print of it.
struct LinkCommand {
  struct Input {
    std::string path;  ///< or what -l names
    bool is_library = false;
    bool is_whole_archive = false;
  };

  std::vector<Input> inputs;  ///< objects, archives and libraries, in the order given
  LinkOptions link;
  std::optional<bool> color;  ///< else as the terminal
  unsigned error_limit = 20;  ///< 0: none
  bool json_diagnostics = false;
  bool verbose = false;
  bool quiet = false;
  bool print_gc_sections = false;
  bool cross_references = false;
  bool statistics = false;
  std::string reproduce_file;         ///< "" for none
  std::vector<std::string> warnings;  ///< of options that have no effect

  /// What the command line says, for reproduce_file.
  std::vector<OptionTable::Given> given;

  /// What follows on the command line is linked whole.
  bool whole_archive = false;
  bool strip_debug = false;

  /// Gives the linker the inputs.
  void add_inputs(Linker& linker) const;
  /// The files that the link writes besides its output.
  std::vector<std::string> report_files() const;
};

/// The options of every link under their headings, general ones first. They fill in `command`,
/// which must stay where it is.
std::vector<OptionGroup> link_options(LinkCommand& command);

/// The action of what is no option: an input.
OptionAction add_input(LinkCommand& command);

/// To be called when all options are known. Errors: options contradict each other; there is no
/// input; a report cannot be written where an option says.
std::expected<void, Error> finish_link_options(LinkCommand& command, const OptionTable& table);

}  // namespace bpflink
