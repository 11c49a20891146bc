// Which compiler or linker made an object, and from which sources, as far as it shows.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "linker/elf/object_file.hpp"

namespace bpflink {

/// Whether the objects have a source file or a strong definition of each object's own in common.
bool have_common_origin(const ObjectFile& a, const ObjectFile& b);

/// The source file that `image` was compiled from, where a compiler wrote it and no linker for BPF
/// has touched it since, and `is_related` denies it; else "". What a link made does not come so
/// far, whatever has become of its sources since.
std::string find_unrelated_source(std::span<const std::byte> image,
                                  const std::function<bool(const ObjectFile&)>& is_related);

/// Whether an object looks like what a link made of some of the others: it comes from no source
/// file that is not one of theirs or, where it names none, has no definition that is not.
bool looks_linked_from(const ObjectFile& object,
                       std::span<const std::unique_ptr<ObjectFile>> others);

}  // namespace bpflink
