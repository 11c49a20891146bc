// What the main functions of the programs have in common.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/error.hpp"

namespace bpflink {

/// Runs a program called `name` on its arguments, without its name: what `run`
/// returns is the exit status. What it throws is an error that is printed.
int run_program(std::string_view name, int argc, char** argv,
                int (*run)(std::vector<std::string> arguments));

/// Prints an error of the program called `name` to standard error.
void print_error(std::string_view name, std::string_view message);

/// The path to write to where `path` is what `option` was given: "-" is standard output. Errors:
/// that is a terminal, and what will be written is not text; `path` is "".
std::expected<std::string, Error> output_path(std::string_view option, std::string path,
                                              bool is_text);
/// Prints a note of the program called `name` to standard error.
void print_note(std::string_view name, std::string_view message);

/// Prints to standard output.
void print_text(std::string_view text);

}  // namespace bpflink
