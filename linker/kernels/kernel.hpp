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
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/error.hpp"
#include "linker/io/input_file.hpp"
#include "linker/kernels/decompress.hpp"
#include "linker/kernels/kernel_config.hpp"
#include "linker/kernels/kernel_source.hpp"

namespace bpflink {

/// The owner of a blob's bytes: a file or a buffer.
struct BlobStorage {
  InputFile file{};
  ByteBuffer buffer{};
};

/// A module that is assumed to be loaded.
struct KernelModule {
  std::string name;  ///< the kernel's name for it: "nf_conntrack"
  std::string path;
  /// Split from the kernel's BTF. If the module has a distilled base (.BTF.base), its types have
  /// been relocated to the kernel's, as the kernel does when it loads the module.
  Btf btf;
  BlobStorage storage;
};

/// A kernel. It does not move, because its modules refer to its BTF.
struct Kernel {
  std::string name;         ///< of its KernelSource
  bool is_running = false;  ///< whether it is the one that this program runs on

  // "" if unknown.

  std::string release{};   ///< "5.14.0-70.el9.x86_64"
  std::string version{};   ///< "#1 SMP Debian 6.1.176-1 (2026-07-02)", which uname -v shows
  std::string arch{};      ///< "x86_64", "arm64": the name in the kernel's sources and BTFHub
  std::string build_id{};  ///< in hexadecimal

  std::optional<KernelConfig> config{};  ///< nothing if unknown
  /// The loader's value for LINUX_KERNEL_VERSION; nothing if the release is unknown.
  std::optional<uint32_t> version_code{};

  Btf btf;
  std::vector<KernelModule> modules{};  ///< sorted by their paths
  /// Modules that cannot be read, and why: sentences that begin with the file.
  std::vector<std::string> notes{};
  BlobStorage storage{};

  Kernel(std::string kernel_name, Btf types)
      : name(std::move(kernel_name)), btf(std::move(types)) {}
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
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

}  // namespace bpflink
