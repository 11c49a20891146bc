// bpfcore load: loads programs on booted kernels.
//
// A guest has only memory: /init, which is init.c, the objects as /object.N, modules, the types for
// relocations in /btf, the kernel's configuration in /config, and /plan. The plan is steps, each a
// letter and what it is about, up to a NUL:
//
//   t SECONDS   how long a load may take           l          print whole logs
//   k PATH      insert the module                  o PATH     open the object
//   p PROGRAM   load it, and report it             w PROGRAM  load it, too
//   m MAP       create the struct_ops map          r [alone]  load what was named since the last r
//
// The guest prints lines that begin with "@ ":
//
//   kernel RELEASE                       module PATH: REASON, if it cannot be inserted
//   object ERRNO PATH                    begins PROGRAM, the first of a load; again for its trace
//   result KIND ERRNO LACKS_BTF PROGRAM  done
//   said LINE, of libbpf, and log LINE, of the verifier, behind their result or object
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "linker/io/tar.hpp"
#include "linker/kernels/kernel.hpp"
#include "linker/programs/bpfcore/inputs.hpp"
#include "linker/programs/bpfcore/shown.hpp"

namespace bpflink {

/// What is needed to boot a kernel, beside its image.
struct BootedKernel {
  std::string config{};                ///< its configuration, or ""
  std::vector<std::string> modules{};  ///< paths of those that programs need, in the order to load
};

/// Finds it. Errors: the kernel has no image that boots, or lacks what a guest needs.
std::expected<BootedKernel, Error> prepare_boot(const KernelSource& source, const Kernel& kernel,
                                                const std::vector<CoreObject>& objects);

/// The files of the modules that the objects need, each after those that it depends on.
std::vector<std::string> find_modules(const Kernel& kernel, const std::vector<CoreObject>& objects);
/// The bytes of a module or kernel without its containers.
std::expected<OwnedBytes, Error> read_unpacked(const std::string& path);

/// Boots each kernel: fills `loads` of the results, and changes findings and statuses accordingly.
/// Messages say which kernels do not come to their end; returns how many. Errors: there is no qemu
/// or no program for the guest; a file cannot be read or written.
std::expected<size_t, Error> load_programs(const BpfcoreOptions& options, const CoreInputs& inputs,
                                           const std::vector<BootedKernel>& kernels,
                                           CoreReport& report);

/// Programs that are loaded together.
struct LoadJob {
  std::string steps;
  std::vector<size_t> programs;  ///< indices of those that are reported
};

/// One for each program, or one for all that load by default.
std::vector<LoadJob> make_jobs(const CoreObject& object, bool is_whole);

/// Reads what a guest says of one object.
class ResultReader {
 public:
  /// `results` has one for each program. `keep_log` gets the whole log of each.
  ResultReader(const CoreObject& object, std::vector<LoadResult>& results,
               std::function<void(std::string_view program, std::string_view log)> keep_log)
      : object_(object), results_(results), keep_log_(std::move(keep_log)) {}

  void hear(std::string_view line);
  /// Ends the last result.
  void finish();
  /// The first program of a load that has begun and not ended; "" for none.
  const std::string& running() const { return running_; }

 private:
  void read_log(size_t program) const;

  const CoreObject& object_;
  std::vector<LoadResult>& results_;
  std::function<void(std::string_view program, std::string_view log)> keep_log_;
  std::vector<size_t> last_;  ///< programs that are read; all if the object cannot be opened
  std::string running_, log_, said_;
};

/// Writes an archive of files that the kernel unpacks before it starts /init: cpio's "newc"
/// (Documentation/driver-api/early-userspace/buffer-format.rst). Errors: those of write_all().
std::expected<void, Error> write_initramfs(int fd, const TarEntries& entries);

/// Completes the results of an object that a kernel has loaded: statuses, findings for what `check`
/// has not found, and where the two disagree.
void judge_loads(const CoreObject& object, const std::string& kernel, CoreResults& results);

/// Compares with a report of before, as JSON, and prints what differs. Returns whether all that
/// loaded before loads now. Errors: it cannot be read, is no such report, or of other programs or
/// kernels.
std::expected<bool, Error> compare_loads(const CoreReport& report, const std::string& path);

}  // namespace bpflink
