// Where the types of a blob begin.
#pragma once

#include <expected>

#include "dedup/format/access.hpp"

namespace bpflink {

/// Finds where the types begin in the words of a blob, and checks them. Errors: those of
/// Btf::parse() about types, except that one contains itself.
std::expected<void, Error> find_types(BtfAccess::Impl& blob);

}  // namespace bpflink
