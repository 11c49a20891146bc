// Names of Rust symbols.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bpflink {

/// The path that a symbol of Rust stands for, "core::option::Option<T>::unwrap", in the older form
/// of names (_ZN...17h<hash>E) or the newer one (_R...). "" for a newer name that is more than a
/// path of plain names, and nothing for what is no symbol of Rust.
std::optional<std::string> rust_name(std::string_view symbol);

}  // namespace bpflink
