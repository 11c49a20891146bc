// Names of Rust symbols.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bpflink {

/// The path of a Rust symbol, "core::option::Option<T>::unwrap", in the legacy form
/// (_ZN...17h<hash>E) or the v0 form (_R...). "" for a v0 name that is more than a path of plain
/// names; nothing if it is no Rust symbol.
std::optional<std::string> rust_name(std::string_view symbol);

}  // namespace bpflink
