// Finds the kernels to check: files, directories of files, and a manifest's facts about them.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bpflink/error.hpp"

namespace bpflink {

/// Options besides the kernels' paths.
struct KernelOptions {
  std::string manifest{};     ///< the path of a manifest, or ""
  std::string config{};       ///< the configuration of each kernel, a path, or ""
  std::string release{};      ///< the release of each kernel, or "" for its own
  std::string modules{};      ///< a directory of modules that are assumed to be loaded, or ""
  bool reads_configs = true;  ///< whether a kernel's configuration is needed
};

/// What identifies a kernel; "" if unknown.
struct KernelIdentity {
  std::string release{};   ///< "5.14.0-70.el9.x86_64"
  std::string version{};   ///< "#1 SMP Debian 6.1.176-1 (2026-07-02)", which uname -v shows
  std::string arch{};      ///< "x86_64", "arm64": the name in the kernel's sources and BTFHub
  std::string build_id{};  ///< in hexadecimal

  /// Fills unknown fields from another source.
  void complete(const KernelIdentity& other) {
    for (auto field : {&KernelIdentity::release, &KernelIdentity::version, &KernelIdentity::arch,
                       &KernelIdentity::build_id})
      if ((this->*field).empty()) this->*field = other.*field;
  }
};

/// A manifest's facts about a kernel.
struct KernelRecord {
  KernelIdentity identity{};
  std::string config{};  ///< the path of its configuration, or ""
};

/// A kernel that has not been read yet.
struct KernelSource {
  std::string name;        ///< its path, as given or below a given directory
  bool is_listed = false;  ///< whether a directory was given
  KernelRecord record{};   ///< from the manifest
  /// The options of all kernels. Not null.
  std::shared_ptr<const KernelOptions> options{};
};

/// Lists the kernels at `paths` in their order. A file is a kernel, whatever its name. In a
/// directory, a file is a kernel if it begins like one, or if it has "vmlinu", "Image" or ".btf" in
/// its name and begins like an ELF file, a compressed file or an archive. Directories are searched
/// as list_files() does. Only the first 4 KiB of a file are read. `notes` gets a sentence about
/// each file that is named like a kernel and is none, and about each that is not and cannot be
/// read.
///
/// A manifest is JSON, a list of objects:
///
///     [{"file": "rhel9/vmlinux.btf", "release": "5.14.0-70.el9.x86_64", "arch": "x86_64",
///       "build_id": "d34db33f", "config": "rhel9/config"}]
///
/// "file" and "config" are paths relative to the manifest; only "file" is required. Facts from an
/// image or from BTFHub's path take precedence over the manifest.
///
/// Errors: a path does not exist; a directory cannot be read, is too deep, or has too many files or
/// no kernel; a file that is named like a kernel cannot be read; the manifest cannot be read or is
/// not such a list.
std::expected<std::vector<KernelSource>, Error> find_kernels(
    std::span<const std::string> paths, KernelOptions options,
    std::vector<std::string>* notes = nullptr);

/// What a file of a directory is, as find_kernels() decides.
enum class KernelLook : uint8_t { Kernel, OnlyByName, Other };

/// Errors begin with the path: it cannot be read.
std::expected<KernelLook, Error> look_for_kernel(const std::string& path);

/// Facts from BTFHub's paths, DISTRIBUTION/VERSION/ARCH/RELEASE.btf, with or without .tar.xz. Any
/// other path that ends in such a name gives the release, if it begins with a version.
KernelIdentity identity_of_path(const std::string& path);

}  // namespace bpflink
