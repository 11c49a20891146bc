// Finds the programs that ours run: bpflink-lto, and what guests of bpfcore run.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "bpflink/error.hpp"

namespace bpflink {

/// The path of the program. `variable` of the environment may name it; `purpose` says what needs
/// it. Errors: it is not there, or only where others can put a program.
std::expected<std::string, Error> find_program(const std::string& name, const char* variable,
                                               std::string_view purpose);

}  // namespace bpflink
