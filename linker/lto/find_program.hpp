// Finds bpflink-lto, and says who else may change a file.
#pragma once

#include <sys/types.h>

#include <expected>
#include <string>

#include "bpflink/error.hpp"

namespace bpflink::lto {

/// The first of a program or library and the directories above it that others than root, the user
/// and `owner` may change; "" if there is none. In a sticky directory, /tmp, nobody can replace a
/// directory of ours.
std::string find_open_to_others(const std::string& file, uid_t owner);

/// The path of bpflink-lto. Errors: it is not there, or only where others can put a program.
std::expected<std::string, Error> find_program();

}  // namespace bpflink::lto
