// A kernel to check programs against: its types and other facts.
//
// Each fact comes from the first source in its list:
//
// - release: --release; for /sys/kernel/btf/vmlinux the system; the setup header of a bzImage, or
//   "Linux version ..." in an image; a path as BTFHub has them,
//   DISTRIBUTION/VERSION/ARCH/RELEASE.btf.tar.xz; the manifest; another name RELEASE.btf, of the
//   file or in a tar archive
// - architecture: the system; the header of the ELF file or image; BTFHub's path; the manifest
// - build id: /sys/kernel/notes; a note of the ELF file or in the image; the manifest
// - configuration: --config; what is built into the image; the manifest; for the running kernel
//   /proc/config.gz, /boot/config-RELEASE and /lib/modules/RELEASE/config; for others
//   config-RELEASE and RELEASE.config beside the file, and "config" in a directory RELEASE
// - symbols: those of an uncompressed ELF file
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/check.hpp"
#include "bpflink/core.hpp"
#include "bpflink/error.hpp"
#include "linker/facts/kernel_features.hpp"
#include "linker/kernels/kernel_config.hpp"
#include "linker/kernels/kernel_source.hpp"
#include "linker/kernels/kernel_symbols.hpp"
#include "linker/kernels/owned_bytes.hpp"

namespace bpflink {

/// What is known of a thing.
enum class Knowledge : uint8_t {
  Unknown,
  Absent,  ///< the kernel does not have it
  Known,
};

/// A kernel's answer.
template <typename Value>
struct Answer {
  Knowledge knowledge = Knowledge::Unknown;
  Value value{};  ///< if it is known

  bool is_known() const { return knowledge == Knowledge::Known; }
};

template <typename Value>
Answer<Value> known(Value value) {
  return {Knowledge::Known, value};
}

/// A module that is assumed to be loaded.
struct KernelModule {
  std::string name;    ///< the kernel's name for it: "nf_conntrack"
  OwnedBytes storage;  ///< owns the bytes of `btf`
  /// Split from the kernel's BTF. If the module has a distilled base (.BTF.base), its types have
  /// been relocated to the kernel's, as the kernel does when it loads the module.
  Btf btf;
};

/// Where a module is, and which others it needs.
struct KernelModuleFile {
  std::string path;
  std::vector<std::string> depends;
};

/// A type, function or variable of a kernel or module.
struct KernelType {
  const BtfView* types = nullptr;  ///< of the kernel or module
  uint32_t id = 0;
  uint32_t module = 0;          ///< 0: it is vmlinux's; else one more than the index of its module
  std::string_view owner = {};  ///< "vmlinux", or the module's name

  BtfType type() const { return types->type(id); }
};

/// A kernel. It does not move, because its modules refer to its BTF.
struct Kernel {
  std::string name;         ///< of its KernelSource
  bool is_running = false;  ///< whether it is the one that this program runs on
  KernelIdentity identity{};
  std::optional<KernelConfig> config{};  ///< nothing if unknown
  /// The loader's value for LINUX_KERNEL_VERSION; nothing if the release is unknown.
  std::optional<uint32_t> version_code{};
  bool hides_version = false;  ///< whether the loader finds no such value: hides_linux_version()

  OwnedBytes storage{};  ///< owns the bytes of `btf`
  Btf btf;
  std::vector<KernelModule> modules{};                     ///< sorted by their paths
  std::map<std::string, KernelModuleFile> module_files{};  ///< by name; also those without BTF
  CoreKernel index;  ///< everything in `btf` and in the modules, by name
  /// Modules that cannot be read, and why: sentences that begin with the file.
  std::vector<std::string> notes{};

  /// Where its symbols can be read; empty if they are unknown.
  std::function<std::optional<KernelSymbols>()> read_symbols{};

  Kernel(std::string kernel_name, Btf types);
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  void add_module(KernelModule module);

  /// What it means if a name is not found: minimized BTF does not have all names.
  Knowledge absence() const { return absence_; }
  /// The first type of that kind and name in the kernel, then in each module.
  std::vector<KernelType> find_all(BtfKind kind, std::string_view wanted) const;
  /// The first of them.
  Answer<KernelType> find(BtfKind kind, std::string_view wanted) const;
  /// Whether an enum has an enumerator of that value. Those like __BPF_FUNC_MAX_ID, one more than
  /// the last, do not count. Unknown if the BTF lacks the enum.
  Knowledge has_enumerator(std::string_view of_enum, uint64_t value) const;
  /// Whether the kernel has what a release brought. Unknown if neither its release nor the newest
  /// helper of its BTF tells, as of Red Hat's kernels, which have parts of later releases.
  Knowledge has_release(LinuxRelease release) const;
  /// The same of what several releases may have brought.
  Knowledge has(const Introduction& brought) const;
  Knowledge has(KernelFeature feature) const { return has(row_of(feature).brought); }
  /// Whether the function's BTF marks kfuncs, as kernels do since 6.10, but not this one.
  bool is_unmarked_kfunc(const KernelType& function) const;
  /// The most similar name of that kind, among names that begin with `prefix`, without it; "" if
  /// there is none.
  std::string similar_name(BtfKind kind, std::string_view prefix, std::string_view wanted) const;
  /// The most similar name of a function that programs may call: one that is marked as a kfunc if
  /// the BTF has marks.
  std::string similar_kfunc(std::string_view wanted) const;
  /// Its symbols, read at the first call; null if unknown. Not for several threads.
  const KernelSymbols* symbols() const;
  /// The value of an option such as "CONFIG_BPF".
  Answer<ConfigValue> option(std::string_view wanted) const;

 private:
  LinuxRelease release_of_helpers() const;
  template <typename Visit>
  void visit_marked_kfuncs(uint32_t module, Visit visit) const;

  Knowledge absence_;
  LinuxRelease at_least_;  ///< the release, as far as its helpers tell
  mutable std::optional<KernelSymbols> symbols_;
  mutable bool has_read_symbols_ = false;
};

/// Reads a kernel and its modules. Of decompressed data only the BTF is kept; uncompressed BTF
/// stays in its mapped file. Several threads may each read one. Errors begin with the path: it
/// cannot be read; those of unpack_kernel() and Btf::parse(); it has no BTF; its configuration or a
/// directory of modules cannot be read.
std::expected<std::unique_ptr<Kernel>, Error> read_kernel(const KernelSource& source);

/// LINUX_KERNEL_VERSION according to libbpf: from Ubuntu's version signature, "Ubuntu
/// 5.4.0-12.15-generic 5.4.8", from Debian's package version in `version`, or from the release.
std::optional<uint32_t> linux_version_code(std::string_view release, std::string_view version,
                                           std::string_view signature);

/// Whether libbpf finds no version there, because all have two numbers, as "7.3-cloud-amd64" and
/// "Debian 7.3~rc7-1". A release of nothing else, "7.3", may be short for another.
bool hides_linux_version(std::string_view release, std::string_view version,
                         std::string_view signature);

}  // namespace bpflink
