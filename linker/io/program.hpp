// What the main functions of the programs share.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/diagnostic.hpp"
#include "bpflink/error.hpp"

namespace bpflink {

/// Runs a program called `name` on its arguments, without its name: what `run`
/// returns is the exit status. What it throws is an error that is printed.
int run_program(std::string_view name, int argc, char** argv,
                int (*run)(const std::vector<std::string>& arguments));

/// Prints a diagnostic of a program to standard error; unless `color` decides, in color where that
/// is a terminal and NO_COLOR is not set.
void print_diagnostic(std::string_view program, const Diagnostic& diagnostic,
                      std::optional<bool> color = {});
/// Prints an error that is nothing but its message.
void print_error(std::string_view program, std::string message);
/// Prints a note that is nothing but its message.
void print_note(std::string_view program, std::string message);

/// The path to write to where `path` is what `option` was given: "-" is standard output. Errors:
/// that is a terminal, and what will be written is not text; `path` is "".
std::expected<std::string, Error> output_path(std::string_view option, std::string path,
                                              bool is_text);

/// Prints to standard output, where what could move a terminal's cursor becomes '?'.
void print_text(std::string_view text);

}  // namespace bpflink
