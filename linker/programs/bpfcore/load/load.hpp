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
// The guest prints events, which name nothing but numbers: a line, and two texts of so many bytes:
//
//   @ WORD JOB PROGRAM ERRNO LACKS_BTF SAID LOG
//
// A job is what an r ends, a program one of its p, both counted from 0. SAID is the size of what
// libbpf says, LOG that of the verifier's log. The words:
//
//   opens     the object JOB, counted from 0         begins    to load; again for a trace
//   loads, refused, loader, failed, together, ended   are results of a program: name_of()
//   module    SAID cannot be inserted                done      with the plan
//
// The host expects each in its turn and ignores all others. A cache has results in the same form.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "linker/io/tar.hpp"
#include "linker/kernels/kernel.hpp"
#include "linker/programs/bpfcore/inputs.hpp"
#include "linker/programs/bpfcore/load/guest.hpp"
#include "linker/programs/bpfcore/results.hpp"

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

/// Boots each kernel that there is: fills `loads` of the results, and changes findings and statuses
/// accordingly. Messages say which kernels do not come to their end. SIGINT and SIGTERM end it
/// early. Errors: there is no qemu or no program for the guest; a file cannot be read or written.
std::expected<void, Error> load_programs(const BpfcoreOptions& options, const CoreInputs& inputs,
                                         const std::vector<std::optional<BootedKernel>>& kernels,
                                         CoreReport& report);

/// Programs that are loaded together.
struct LoadJob {
  std::string steps;
  std::vector<size_t> programs;  ///< indices of those that are reported
};

/// One for each program, or one for all that load by default.
std::vector<LoadJob> make_jobs(const CoreObject& object, bool is_whole);

/// The result that a guest reports for a program; NotRun if the event is none. `with_config`: the
/// guest had a configuration.
LoadResult read_result(const CoreObject& object, size_t program, const GuestEvent& event,
                       const Guest& guest, bool with_config);

/// Writes an archive of files that the kernel unpacks before it starts /init: cpio's "newc"
/// (Documentation/driver-api/early-userspace/buffer-format.rst). Errors: those of write_all().
std::expected<void, Error> write_initramfs(int fd, const TarEntries& entries);

/// Completes the results of an object that a kernel has loaded: statuses, findings for what `check`
/// has not found, and where the two disagree.
void judge_loads(const CoreObject& object, const KernelSummary& kernel, CoreResults& results);

/// The exit status that the results ask for: 0, all programs load; 1, a kernel refuses one, or
/// check is wrong; 2, one is not known; 3, no other than the loader refuses one. `is_whole`: only
/// those count that load by default.
int exit_status_of(const CoreReport& report, bool is_whole);

/// Compares with a report of before, as JSON, and prints what differs. Returns whether all that
/// loaded before loads now. Errors: it cannot be read, is not such a report, or is of other
/// programs or kernels.
std::expected<bool, Error> compare_loads(const CoreReport& report, const std::string& path);

}  // namespace bpflink
