// The checks of KernelNeeds, each in a file of its own. For each, one function lists the names to
// look up, and one checks the results.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linker/kernels/kernel_facts.hpp"

namespace bpflink {

/// The inputs of the checks, and the findings that they add to.
struct FactContext {
  const Object& object;
  const Kernel& kernel;
  const KernelNames& names;
  std::vector<KernelFinding>& findings;
  /// How many more searches for similar names are allowed: each visits all names of the kernel.
  int& searches_left;
};

void want_ksyms(const Object& object, WantedNames& wanted);
void check_ksyms(const FactContext& context);

void check_kconfig(const FactContext& context);

void want_attach_targets(const Object& object, WantedNames& wanted);
void check_attach_targets(const FactContext& context);

void want_struct_ops(const Object& object, WantedNames& wanted);
void check_struct_ops(const FactContext& context, std::span<const std::byte> image);

void want_kernel_enums(WantedNames& wanted);
void check_kernel_enums(const FactContext& context);
void check_helpers(const FactContext& context, std::span<const uint32_t> helpers,
                   const HelperUsers& users);

/// A note about a name that neither the kernel's BTF nor that of modules has: a similar name, or
/// that no modules were searched.
std::string note_on_missing(const FactContext& context, BtfKind kind, std::string_view prefix,
                            std::string_view name);

}  // namespace bpflink
