// Functions that the programs' main functions share.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/diagnostic.hpp"
#include "bpflink/error.hpp"

namespace bpflink {

/// Runs a program called `name` on its arguments, without its name. The result of `run` is the exit
/// status. An exception is printed as an error, and so is what could not be printed, and an input
/// that is cut off while it is read; then it is `failure`. Signals remove temporary files. A
/// standard descriptor that is closed becomes one that cannot be used, so that no file gets its
/// number.
int run_program(std::string_view name, int argc, char** argv,
                int (*run)(const std::vector<std::string>& arguments), int failure = 1);

/// Prints a program's diagnostic to standard error. Unless `color` decides, it is colored if that
/// is a terminal, NO_COLOR is not set, and TERM is not "dumb".
void print_diagnostic(std::string_view program, const Diagnostic& diagnostic,
                      std::optional<bool> color = {});
/// Prints an error that consists of a message only.
void print_error(std::string_view program, std::string message);
/// Prints an error with its advice.
void print_error(std::string_view program, const Error& error);
/// Prints a note that consists of a message only.
void print_note(std::string_view program, std::string message);

/// The columns of the terminal that standard output is; 0 if it is none.
size_t terminal_width();

/// Prints to standard output, with '?' for control characters.
void print_text(std::string_view text);

/// Writes what was printed. For programs with output files: before they replace their targets.
/// Errors: standard output is full or closed.
std::expected<void, Error> flush_output();

}  // namespace bpflink
