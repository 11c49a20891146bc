// BTF in files.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <vector>

#include "bpflink/error.hpp"

namespace bpflink {

/// Reads the BTF in the file at `path`, for Btf::parse() and check_btf(): raw BTF, or an ELF file
/// of any machine with a section `.BTF`, such as vmlinux, a module, a program or a BPF object.
/// Errors name the path: it cannot be read; it is compressed or has no BTF; it has a section
/// `.BTF.base`, which its types are split from, and not from a kernel's: `btfdedup --base` resolves
/// that.
std::expected<std::vector<std::byte>, Error> read_btf_file(const std::string& path);

}  // namespace bpflink
