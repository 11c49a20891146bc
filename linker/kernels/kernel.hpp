// A kernel that programs are to be loaded into: its types, and what else is known of it.
//
// What is known comes from the first of these that says it:
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

/// What the bytes of a blob are in: a file, or a buffer.
struct BlobStorage {
  InputFile file{};
  ByteBuffer buffer{};
};

/// A module that counts as loaded.
struct KernelModule {
  std::string name;  ///< as the kernel has it: "nf_conntrack"
  std::string path;
  /// Split from the kernel's BTF. Where the module brings a distilled base (.BTF.base), it has been
  /// relocated to that, as the kernel does when it loads the module.
  Btf btf;
  BlobStorage storage;
};

/// A kernel. It does not move, as modules are split from its BTF.
struct Kernel {
  std::string name;         ///< of its KernelSource
  bool is_running = false;  ///< whether it is the one that this program runs on

  // "" where it is not known.

  std::string release{};   ///< "5.14.0-70.el9.x86_64"
  std::string version{};   ///< "#1 SMP Debian 6.1.176-1 (2026-07-02)", which uname -v shows
  std::string arch{};      ///< "x86_64", "arm64": as the kernel's sources call it, and BTFHub
  std::string build_id{};  ///< in hexadecimal

  std::optional<KernelConfig> config{};  ///< nothing where it is not known
  /// What the loader fills into LINUX_KERNEL_VERSION; nothing where the release is not known.
  std::optional<uint32_t> version_code{};

  Btf btf;
  std::vector<KernelModule> modules{};  ///< sorted by their paths
  /// Modules that cannot be looked at, and why: sentences that begin with the file.
  std::vector<std::string> notes{};
  BlobStorage storage{};

  Kernel(std::string kernel_name, Btf types)
      : name(std::move(kernel_name)), btf(std::move(types)) {}
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
};

/// Reads a kernel and the modules that go with it. Of what is decompressed only the BTF is kept;
/// BTF that is there as it is stays in its file. Several threads may each read one. Errors begin
/// with the path: it cannot be read; those of unpack_kernel() and Btf::parse(); it has no BTF; its
/// configuration cannot be read; a directory of modules cannot be.
std::expected<std::unique_ptr<Kernel>, Error> read_kernel(const KernelSource& source);

/// LINUX_KERNEL_VERSION as libbpf finds it: of "Ubuntu 5.4.0-12.15-generic 5.4.8", what Ubuntu's
/// kernels call their signature; of Debian's package version in `version`; of the release.
std::optional<uint32_t> linux_version_code(std::string_view release, std::string_view version,
                                           std::string_view signature);

}  // namespace bpflink
