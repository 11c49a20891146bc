// Types that contain themselves.
#pragma once

#include <optional>
#include <string>

#include "bpflink/btf.hpp"

namespace bpflink {

/// A type that contains itself by value, or is a typedef of itself; or nothing. Every circle must
/// pass through a pointer or a function prototype. All ids must be in range.
std::optional<uint32_t> find_self_containing(const BtfView& types);

/// The error about such a type.
Error contains_itself(const std::string& type);

}  // namespace bpflink
