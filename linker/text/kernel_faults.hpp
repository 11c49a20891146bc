// Warnings about types in an output that kernels reject (`--verify`).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/check.hpp"
#include "bpflink/dedup.hpp"
#include "bpflink/diagnostic.hpp"

namespace bpflink {

/// Where types of an output come from.
struct TypeOrigin {
  std::string_view name;  ///< of the input
  const TypeMap* map;     ///< from its ids to the output's
};

/// A warning for each fault, with the first input that has the type. `other_origin` gives the input
/// of a type that is in no map, or "".
std::vector<Diagnostic> kernel_fault_warnings(
    const BtfVerdict& verdict, const std::string& output, const std::vector<TypeOrigin>& origins,
    const std::function<std::string_view(uint32_t)>& other_origin = {});

}  // namespace bpflink
