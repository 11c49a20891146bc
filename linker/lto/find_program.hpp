// Finds bpflink-lto.
#pragma once

#include <expected>
#include <string>

#include "bpflink/error.hpp"

namespace bpflink::lto {

/// The path of bpflink-lto. Errors: it is not there, or only where others can put a program.
std::expected<std::string, Error> find_program();

}  // namespace bpflink::lto
