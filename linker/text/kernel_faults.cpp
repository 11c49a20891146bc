#include "linker/text/kernel_faults.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "linker/text/diagnostics.hpp"

namespace bpflink {
namespace {

/// The input of each faulty type, found in one walk over all maps.
std::unordered_map<uint32_t, std::string_view> find_origins(
    const BtfVerdict& verdict, const std::vector<TypeOrigin>& origins) {
  std::unordered_map<uint32_t, std::string_view> found;
  for (const BtfFault& fault : verdict.faults)
    if (fault.type_id != 0) found[fault.type_id];
  if (found.empty()) return found;
  for (const TypeOrigin& origin : origins)
    for (uint32_t id = origin.map->first_id(); id < origin.map->end_id(); ++id)
      if (auto at = found.find((*origin.map)[id]); at != found.end() && at->second.empty())
        at->second = origin.name;
  return found;
}

}  // namespace

std::vector<Diagnostic> kernel_fault_warnings(
    const BtfVerdict& verdict, const std::string& output, const std::vector<TypeOrigin>& origins,
    const std::function<std::string_view(uint32_t)>& other_origin) {
  std::vector<Diagnostic> warnings;
  auto found = find_origins(verdict, origins);
  for (const BtfFault& fault : verdict.faults) {
    warnings.push_back(
        {.severity = Severity::Warning,
         .message = fmt::format("{}: kernels reject this: {}", output, describe_fault(fault)),
         .file = output});
    std::string_view origin = fault.type_id != 0 ? found[fault.type_id] : "";
    if (origin.empty() && other_origin) origin = other_origin(fault.type_id);
    if (!origin.empty())
      warnings.back().references.push_back(note(fmt::format("the type is from {}", origin)));
  }
  if (verdict.omitted != 0)
    warnings.push_back({.severity = Severity::Warning,
                        .message = fmt::format("{}: {} more faults", output, verdict.omitted),
                        .file = output});
  return warnings;
}

}  // namespace bpflink
