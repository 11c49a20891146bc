// The modules that are assumed to be loaded with a kernel.
#pragma once

#include <expected>
#include <string>

#include "bpflink/error.hpp"
#include "linker/kernels/kernel.hpp"

namespace bpflink {

/// Reads the modules in `directory` and below into the kernel: files *.ko, compressed or not, and
/// raw BTF as in /sys/kernel/btf. A directory whose name begins like a release is read only for
/// that release. Modules without BTF are ignored; modules whose BTF does not match this kernel and
/// files that cannot be read are noted. If several modules have one name, the first counts. Errors:
/// those of list_files().
std::expected<void, Error> read_modules(const std::string& directory, Kernel& kernel);

/// The kernel's name for the module in a file: "nf_conntrack" for nf-conntrack.ko.xz, and the name
/// of a BTF file as in /sys/kernel/btf, except vmlinux. "" if the file is not a module. Errors
/// begin with the path: it cannot be read.
std::expected<std::string, Error> module_name(const std::string& path);

}  // namespace bpflink
