// What an object needs of a kernel besides CO-RE types: kernel functions and variables,
// configuration options, attach targets, struct_ops, helpers, and types of maps and programs. Each
// is looked up as libbpf does when it loads the object.
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

/// One thing that was asked of a kernel.
struct KernelFinding {
  enum class What : uint8_t {
    Kfunc,            ///< an extern function in .ksyms
    KernelVariable,   ///< an extern variable in .ksyms that has a type
    KernelSymbol,     ///< one without: its address, from /proc/kallsyms
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
    BecomesZero,  ///< it is weak and not there: the program finds 0
    Fails,
    Unknown,  ///< nothing that is known of the kernel says it
  };
  /// When it would fail.
  enum class Stage : uint8_t { Load, Attach };

  What what = What::Kfunc;
  std::string name{};  ///< as the object has it
  std::string user{};  ///< the program or map that asks for it; "" for the object
  Status status = Status::Ok;
  Stage stage = Stage::Load;
  std::string reason{};  ///< why it is not Ok, a sentence; "" where it is
  std::string note{};    ///< what helps, or what to know where it is Ok; or ""
};

/// "kfunc", "config option": what is found, in words.
std::string_view kernel_finding_name(KernelFinding::What what);

/// The programs that reach a call of the helper with that id, of the kernel's enum bpf_func_id, on
/// a kernel of which so much was found out.
using HelperUsers =
    std::function<std::vector<std::string>(uint32_t id, const std::vector<KernelFinding>& found)>;

/// What one object asks of kernels, put together once. Programs and maps that are not loaded unless
/// asked for ("?" before the section's name) do not count. Kprobes, tracepoints, uprobes and
/// freplace name nothing that BTF has, and are not judged.
class KernelNeeds {
 public:
  /// `image` is the file of `object`, as its struct_ops have values there. Both must outlive this.
  /// `helpers` are the ids of those that its code calls.
  KernelNeeds(const Object& object, std::span<const std::byte> image,
              std::vector<uint32_t> helpers);

  /// What the kernel has of that, in a fixed order, helpers last: of these, those that it has not.
  /// Several threads may ask at once.
  std::vector<KernelFinding> check(const Kernel& kernel, const HelperUsers& users) const;

 private:
  const Object& object_;
  std::span<const std::byte> image_;
  std::vector<uint32_t> helpers_;
  WantedNames wanted_;
};

}  // namespace bpflink
