// Changes in the bytes of a blob that move no type and no string.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/format/kinds.hpp"

namespace bpflink {

// In all of these, `btf` was parsed from `blob`.

/// By id: the offset of each type in the blob. And the end of the last one.
std::vector<uint64_t> type_offsets(std::span<const std::byte> blob, const Btf& btf);

/// A copy of a blob in which types, by id, have new names. The string section moves to the end of
/// the blob, where it can grow; existing strings keep their offsets.
std::vector<std::byte> rename_types(std::span<const std::byte> blob, const Btf& btf,
                                    const std::unordered_map<uint32_t, std::string>& names);

/// Whether a type is an INT with both the signed and the char bit. btf.rst section 2.2.1 allows "at
/// most one encoding", and kernels reject two, but bpf-gcc writes `char` with both.
inline bool needs_repair(BtfType type) {
  return type.kind() == BtfKind::Int && kernel_int_data(type.int_data()) != type.int_data();
}

/// A copy of a blob in which such integers are only signed.
std::vector<std::byte> repair_btf(std::span<const std::byte> blob, const Btf& btf);

}  // namespace bpflink
