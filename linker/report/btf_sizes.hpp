// Where the bytes of a .BTF section come from.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bpflink/btf.hpp"
#include "linker/report/output_report.hpp"

namespace bpflink {

/// A string of .BTF that something else than a type uses.
struct ForeignString {
  uint32_t offset;
  std::string_view kind;  ///< "source line", "file name"
};

/// All bytes of a blob, whose types are `btf`, by what brought them in: each function, variable or
/// type without which the types in its group would not be there. What several of these need is a
/// group of its own. A string counts with the first type that uses it.
SizeSection measure_btf(const BtfView& btf, uint64_t blob_size,
                        std::span<const ForeignString> foreign_strings);

/// The kind of a type as C calls it: "struct", "typedef", "function".
std::string_view name_of_kind(BtfType type);

}  // namespace bpflink
