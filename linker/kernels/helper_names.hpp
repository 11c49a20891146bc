// Names of helpers, the kernel functions that programs call by number.
#pragma once

#include <cstdint>
#include <string>

namespace bpflink {

/// "bpf_map_lookup_elem" for 1; "bpf_func_300" for a helper newer than this program.
std::string helper_name(uint32_t id);

}  // namespace bpflink
