#include "linker/kernels/kernel_facts.hpp"

#include <fmt/format.h>

#include <utility>

#include "linker/kernels/kernel_fact_checks.hpp"

namespace bpflink {

std::string_view kernel_finding_name(KernelFinding::What what) {
  using enum KernelFinding::What;
  switch (what) {
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
  }
  return "";
}

std::string note_on_missing(const FactContext& context, BtfKind kind, std::string_view prefix,
                            std::string_view name) {
  std::string similar;
  if (--context.searches_left >= 0)
    similar = similar_kernel_name(context.kernel, kind, prefix, name);
  if (!similar.empty()) return fmt::format("did you mean {}?", similar);
  return context.kernel.modules.empty() ? "no modules were searched" : "";
}

KernelNeeds::KernelNeeds(const Object& object, std::span<const std::byte> image,
                         std::vector<uint32_t> helpers)
    : object_(object), image_(image), helpers_(std::move(helpers)) {
  want_ksyms(object, wanted_);
  want_attach_targets(object, wanted_);
  want_struct_ops(object, wanted_);
  want_kernel_enums(wanted_);
}

std::vector<KernelFinding> KernelNeeds::check(const Kernel& kernel,
                                              const HelperUsers& users) const {
  std::vector<KernelFinding> findings;
  KernelNames names(kernel, wanted_);
  int searches_left = 32;
  FactContext context{object_, kernel, names, findings, searches_left};
  check_ksyms(context);
  check_kconfig(context);
  check_attach_targets(context);
  check_struct_ops(context, image_);
  check_kernel_enums(context);
  check_helpers(context, helpers_, users);
  return findings;
}

}  // namespace bpflink
