// Guesses whether a compiler or linker made an object, and from which sources.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "linker/files/object_file.hpp"

namespace bpflink {

/// Whether the objects share a source file, or a strong definition that no two objects of one
/// program share.
bool have_common_origin(const ObjectFile& a, const ObjectFile& b);

/// The source file that `image` was compiled from, if it is a compiler's output and `is_related`
/// returns false for it; otherwise "". A linked object gives "".
std::string find_unrelated_source(std::span<const std::byte> image,
                                  const std::function<bool(const ObjectFile&)>& is_related);

}  // namespace bpflink
