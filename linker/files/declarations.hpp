// What the VARs and FUNCs of an object declare, and how compilers and linkers differ in that.
#pragma once

#include <expected>
#include <string_view>
#include <unordered_set>

#include "bpflink/error.hpp"
#include "linker/files/object_file.hpp"

namespace bpflink {

/// Gives the object's declarations their symbols and DATASECs. Errors: a FUNC is global and has
/// neither symbol nor code.
std::expected<void, Error> bind_declarations(ObjectFile& object, const ReadOptions& options);

/// The names that the object expects from the loader, in .ksyms and .kconfig.
std::unordered_set<std::string_view> find_loader_names(const ObjectFile& object);

}  // namespace bpflink
