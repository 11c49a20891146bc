// libbpf, kept apart from our headers: both spell the format's constants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bpflink::test {

/// The number of types that libbpf leaves of a blob, or 0 if it refuses it.
uint32_t count_with_libbpf(const std::vector<std::byte>& blob);

}  // namespace bpflink::test
