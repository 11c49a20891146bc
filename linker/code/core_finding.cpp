#include "linker/code/core_finding.hpp"

namespace bpflink {

std::string_view core_status_name(CoreStatus status) {
  constexpr std::string_view names[] = {"resolves", "guarded", "unknown", "fails"};
  return names[static_cast<size_t>(status)];
}

std::string_view core_need_name(CoreNeed need) {
  using enum CoreNeed;
  switch (need) {
    case Relocation:
      return "relocation";
    case Kfunc:
      return "kfunc";
    case KernelVariable:
      return "kernel variable";
    case KernelSymbol:
      return "kernel symbol";
    case ConfigOption:
      return "config option";
    case AttachTarget:
      return "attach target";
    case StructOps:
      return "struct_ops";
    case StructOpsMember:
      return "struct_ops member";
    case Helper:
      return "helper";
    case MapType:
      return "map type";
    case ProgramType:
      return "program type";
    case AttachType:
      return "attach type";
    case Instructions:
      return "instructions";
    case ArgumentType:
      return "argument type";
  }
  return "";
}

}  // namespace bpflink
