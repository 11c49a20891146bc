// Finds the programs that ours run: bpflink-lto, and what guests of bpfcore run. Says who else may
// change a file.
#pragma once

#include <sys/types.h>

#include <expected>
#include <string>
#include <string_view>

#include "bpflink/error.hpp"

namespace bpflink::lto {

/// The first of a program or library and the directories above it that others than root, the user
/// and `owner` may change; "" if there is none. In a sticky directory, /tmp, nobody can replace a
/// directory of ours.
std::string find_open_to_others(const std::string& file, uid_t owner);

/// The path of the program. `variable` of the environment may name it; `purpose` says what needs
/// it. Errors: it is not there, or only where others can put a program.
std::expected<std::string, Error> find_program(const std::string& name, const char* variable,
                                               std::string_view purpose);

}  // namespace bpflink::lto
