#include "linker/code/core_finding.hpp"

#include <iterator>

namespace bpflink {

std::string_view core_status_name(CoreStatus status) {
  constexpr std::string_view names[] = {"resolves", "guarded", "unknown", "fails"};
  return names[static_cast<size_t>(status)];
}

std::string_view core_need_name(CoreNeed need) {
  constexpr std::string_view names[] = {
      "relocation",    "kfunc",       "kernel variable",   "kernel symbol", "config option",
      "attach target", "struct_ops",  "struct_ops member", "helper",        "map type",
      "program type",  "attach type", "instructions",      "argument type", "load"};
  static_assert(std::size(names) == static_cast<size_t>(CoreNeed::Load) + 1);
  return names[static_cast<size_t>(need)];
}

}  // namespace bpflink
