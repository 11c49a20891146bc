// The needs of an object besides CO-RE types: kernel functions and variables, configuration
// options, attach targets, struct_ops, helpers, and types of maps and programs. Each is looked up
// as libbpf does when it loads the object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/object.hpp"
#include "linker/kernels/kernel.hpp"
#include "linker/kernels/kernel_names.hpp"

namespace bpflink {

/// The result for one need of an object.
struct KernelFinding {
  enum class What : uint8_t {
    Kfunc,            ///< an extern function in .ksyms
    KernelVariable,   ///< an extern variable in .ksyms that has a type
    KernelSymbol,     ///< one without a type: its address comes from /proc/kallsyms
    ConfigOption,     ///< an extern variable in .kconfig
    AttachTarget,     ///< a function or tracepoint that a program attaches to
    StructOps,        ///< a struct that programs implement
    StructOpsMember,  ///< one of its members
    Helper,
    MapType,
    ProgramType,
    AttachType,
  };
  enum class Status : uint8_t {
    Ok,
    BecomesZero,  ///< weak and missing: the program sees 0
    Fails,
    Unknown,  ///< the known facts about the kernel do not decide it
  };
  /// When the failure happens.
  enum class Stage : uint8_t { Load, Attach };

  What what = What::Kfunc;
  std::string name{};  ///< the object's name for it
  std::string user{};  ///< the program or map that needs it; "" for the object
  Status status = Status::Ok;
  Stage stage = Stage::Load;
  std::string reason{};  ///< why it is not Ok, a sentence; "" if it is
  std::string note{};    ///< a remedy, a remark if it is Ok, or ""
};

/// The name of a kind of finding: "kfunc", "config option".
std::string_view kernel_finding_name(KernelFinding::What what);

/// The programs that reach a call of the helper `id` (of the kernel's enum bpf_func_id), given the
/// findings so far.
using HelperUsers =
    std::function<std::vector<std::string>(uint32_t id, const std::vector<KernelFinding>& found)>;

/// The needs of one object, collected once. Programs and maps that are not loaded by default ("?"
/// before the section's name) are ignored. Kprobes, tracepoints, uprobes and freplace name nothing
/// that BTF has, and are not checked.
class KernelNeeds {
 public:
  /// `image` is the file of `object`, which has the values of its struct_ops. Both must outlive
  /// this. `helpers` are the ids of the helpers that its code calls.
  KernelNeeds(const Object& object, std::span<const std::byte> image,
              std::vector<uint32_t> helpers);

  /// Checks the needs against a kernel. The findings have a fixed order; helpers come last, and
  /// only missing ones. Several threads may call this at once.
  std::vector<KernelFinding> check(const Kernel& kernel, const HelperUsers& users) const;

 private:
  const Object& object_;
  std::span<const std::byte> image_;
  std::vector<uint32_t> helpers_;
  WantedNames wanted_;
};

}  // namespace bpflink
