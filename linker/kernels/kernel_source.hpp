// Finds the kernels to check: files, directories of files, and what a manifest says about them.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/error.hpp"

namespace bpflink {

/// What is given beside the kernels.
struct KernelOptions {
  std::string manifest{};              ///< a file as below, or ""
  std::string config{};                ///< the configuration of each kernel, a path, or ""
  std::string release{};               ///< of each kernel, or "" for its own
  std::vector<std::string> modules{};  ///< directories of modules that count as loaded
  bool reads_configs = true;           ///< unless nothing asks for a kernel's configuration
};

/// What a manifest says of a kernel, "" where it does not.
struct KernelRecord {
  std::string release{}, arch{}, build_id{};
  std::string config{};  ///< the path of its configuration
};

/// A kernel that has not been read yet.
struct KernelSource {
  std::string name;       ///< its path as given, and below a directory that was given
  KernelRecord record{};  ///< from the manifest
  /// Those of all kernels. Not null.
  std::shared_ptr<const KernelOptions> options{};
};

/// Lists the kernels at `paths` in their order: a file is one, whatever it is called; of a
/// directory those that begin like one, or have "vmlinu", "Image" or ".btf" in their name and begin
/// like an ELF file, a compressed one or an archive. Directories are looked into at any depth,
/// sorted by name, and not through symbolic links; a file that is there under two names is listed
/// once. Hidden files and directories are not looked at. No more is read of a file than its first 4
/// KiB.
///
/// A manifest is JSON, a list of objects:
///
///     [{"file": "rhel9/vmlinux.btf", "release": "5.14.0-70.el9.x86_64", "arch": "x86_64",
///       "build_id": "d34db33f", "config": "rhel9/config"}]
///
/// "file" and "config" are paths relative to the manifest; all but "file" may be missing. What an
/// image of a kernel says of itself, or BTFHub's path, counts more than the manifest.
///
/// Errors: a path leads nowhere; a directory cannot be read, is too deep or has too many files, or
/// no kernel; the manifest cannot be read or is not such a list.
std::expected<std::vector<KernelSource>, Error> find_kernels(std::span<const std::string> paths,
                                                             KernelOptions options);

/// Whether a text begins with two numbers and a dot between them, as a kernel's release does.
bool begins_with_version(std::string_view text);

/// What BTFHub's paths say: DISTRIBUTION/VERSION/ARCH/RELEASE.btf and what may follow, .tar.xz. The
/// release is also taken of another path that ends in such a name, if it begins with a version.
KernelRecord record_of_path(const std::string& path);

}  // namespace bpflink
