// libbpf, separate from our headers: both define the format's constants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bpflink::test {

/// The number of types of a blob after libbpf's deduplication, or 0 if libbpf refuses it.
uint32_t count_with_libbpf(const std::vector<std::byte>& blob);

}  // namespace bpflink::test
