// What grew and shrank since an earlier output (`--size-map-against`).
#pragma once

#include <expected>
#include <string>

#include "bpflink/error.hpp"
#include "linker/report/model.hpp"

namespace bpflink {

/// Fills in OutputModel::against. `file` is what --json wrote of the earlier output. Errors: it
/// cannot be read; it is no such file. Each names the file.
std::expected<void, Error> compare_with(const std::string& file, OutputModel& model);

}  // namespace bpflink
