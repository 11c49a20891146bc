// A page for browsers that shows where the bytes of an output come from (`--size-map`).
#pragma once

#include <string>
#include <string_view>

#include "linker/report/model.hpp"

namespace bpflink {

/// The page, whole: it needs no other file. It shows what --json has.
std::string make_size_map(const OutputModel& model);

/// The page around the report: HTML, style and script of the folder size_map.
extern const std::string_view size_map_page_before, size_map_page_after;

}  // namespace bpflink
