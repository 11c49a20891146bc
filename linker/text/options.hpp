// The table of a program's options: the source of parsing, --help and completions.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "bpflink/error.hpp"

namespace bpflink {

/// Applies an option's value, "" if it takes none. Errors describe a bad value, without the
/// option's name.
using OptionAction = std::function<std::expected<void, Error>(std::string_view value)>;

/// Calls `apply` with the value, whatever that is.
template <typename Apply>
OptionAction always(Apply apply) {
  return [apply](std::string_view value) -> std::expected<void, Error> {
    apply(value);
    return {};
  };
}

/// Sets a flag, or what a flag stands for.
template <typename T>
OptionAction set(T& variable, std::type_identity_t<T> value) {
  return always([&variable, value](std::string_view) { variable = value; });
}
inline OptionAction set(bool& flag) {
  return set(flag, true);
}
/// Stores the value.
OptionAction store(std::string& text);
OptionAction store(std::optional<std::string>& text);
/// Adds the value to a list.
OptionAction append(std::vector<std::string>& list);
/// The path to read for a file that the user gave: "-" is standard input.
std::string input_path(std::string_view path);
/// The path to write to for `path`, the value of `option`: "-" is standard output. Errors: standard
/// output is a terminal and the output is not text; `path` is "".
std::expected<std::string, Error> output_path(std::string_view option, std::string path,
                                              bool is_text);
/// Appends such a path.
OptionAction append_input(std::vector<std::string>& list);
/// Stores a number from `least` to `most`.
OptionAction store_number(unsigned& number, unsigned least, unsigned most);
/// Stores the length of the lists of --print-sizes, 10 without a value.
OptionAction print_sizes(unsigned& most);
/// Stores the path of a page of HTML.
OptionAction store_page(std::string& path);
/// Does nothing: for options of other linkers that have no effect here.
OptionAction ignore();
/// Fails with a reason: for options of other programs that are not supported.
OptionAction refuse(std::string_view reason);

/// What a program does with the file that a value names.
enum class FileUse : uint8_t { Read, Write };

/// A row of the table.
struct Option {
  /// "-o,--output": the long name last.
  std::string_view names;
  /// The name of its value in --help: "FILE" and "DIR" are completed, "a|b" allows these words
  /// only, "" means a flag. "NAME..." may be given several times; "=N" is optional and follows the
  /// option in the same word.
  std::string_view value;
  /// The description in --help. An option without one is neither shown nor suggested.
  std::string_view help;
  OptionAction action;
  /// For a value that begins with a path: "FILE", "DIR" or "FILE=TEXT".
  FileUse use = FileUse::Read;
  /// Words to complete, "a|b", of a value that may be others as well.
  std::string_view suggestions = {};
  /// What the option does is the program's business: the library, which takes all others, refuses
  /// it.
  bool is_of_program = false;

  std::vector<std::string_view> all_names() const;
  std::string_view long_name() const { return names.substr(names.rfind(',') + 1); }
  std::string_view short_name() const { return names.substr(0, names.find(',')); }
  bool takes_value() const { return !value.empty() && !may_take_value(); }
  bool may_take_value() const { return value.starts_with('='); }
  bool is_repeatable() const { return value.ends_with("..."); }
  /// "FILE" for "FILE...".
  std::string_view value_name() const {
    return is_repeatable() ? value.substr(0, value.size() - 3) : value;
  }
  bool has_fixed_words() const { return value.find('|') != value.npos; }
  /// The words that shells complete.
  std::vector<std::string_view> words() const;
};

/// The row of an option that is of the program alone.
Option of_program(Option option);

/// Rows under a heading of --help; without a heading they are not shown.
struct OptionGroup {
  std::string_view heading;
  std::vector<Option> options;
};

/// A word that chooses what a program does, before its other arguments.
struct Command {
  std::string_view name;
  std::string_view help;
};

/// What --version prints.
std::string version_line(std::string_view program);

/// A program's command line: its purpose, arguments and options.
class OptionTable {
 public:
  struct Program {
    std::string_view name;
    std::string_view purpose;  ///< one sentence
    std::string_view usage;    ///< lines, the first of which begins with "Usage: "
    std::string_view success;  ///< when it exits with 0
    unsigned width;            ///< the column in which the texts of --help begin
    Option argument;           ///< handles arguments that are not options; `names` is their name
    std::string_view otherwise = {};     ///< what else it exits with; "": 1, the output unchanged
    std::vector<Command> commands = {};  ///< one of which must be the first argument
  };

  /// Adds a last group with --help, --version and --completion.
  OptionTable(Program program, std::vector<OptionGroup> groups);

  /// Runs the actions of the options in `arguments` (without the program's name), in order. "@FILE"
  /// is replaced by the arguments in FILE; "--" ends the options. Returns the text to print instead
  /// of running, for --help and the like, or "". Errors: those of expand_response_files(); a bad
  /// argument, with a suggestion if there is one.
  std::expected<std::string, Error> parse(std::vector<std::string> arguments);

  /// Runs the actions of options that a caller of the library gives. Errors, which do not point to
  /// --help: an option of the program; what is not an option; those of parse().
  std::expected<void, Error> parse_for_library(std::span<const std::string> options);

  /// An option or an argument as it was given.
  struct Given {
    std::string_view name;        ///< the option's long name, or ""
    std::string_view value_name;  ///< what stands for the value in --help
    FileUse use;                  ///< see Option
    std::optional<std::string> value;
  };
  /// All that was given, in order.
  const std::vector<Given>& given() const { return given_; }

  /// Whether the option of that long name was given.
  bool is_given(std::string_view long_name) const { return names_given_.contains(long_name); }
  /// An error if both options were given.
  std::expected<void, Error> check_exclusive(std::string_view a, std::string_view b) const;
  /// An error if `option` was given and `needed` was not.
  std::expected<void, Error> check_needs(std::string_view option, std::string_view needed) const;
  /// An error that points the user of a program to --help.
  std::unexpected<Error> usage_error(std::string_view message) const;

 private:
  std::expected<size_t, Error> parse_one(std::span<const std::string> arguments);
  std::expected<size_t, Error> apply(const Option& option, std::span<const std::string> arguments,
                                     std::optional<std::string_view> value);
  std::expected<void, Error> check_unknown() const;
  const Option* find(std::string_view name) const;
  bool is_option(std::string_view argument) const;
  std::string find_similar(std::string_view name) const;

  std::string help() const;
  std::string help_line(std::string_view name, std::string_view text) const;
  std::string bash_completion() const;
  std::string zsh_completion() const;
  std::string fish_completion() const;

  Program program_;
  std::vector<OptionGroup> groups_;
  std::vector<Given> given_;
  std::set<std::string_view> names_given_;  ///< long names
  std::string text_;                        ///< the text to print instead of running
  std::vector<std::string> unknown_;
  bool is_for_library_ = false;
};

}  // namespace bpflink
