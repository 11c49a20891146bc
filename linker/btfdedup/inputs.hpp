// Where BTF comes from: raw files, ELF files, archives, standard input.
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "bpflink/error.hpp"
#include "linker/btfdedup/elf_btf.hpp"

namespace bpflink {

/// One blob of BTF. Valid while the function that it is given to runs.
struct BtfSource {
  std::string name;
  std::span<const std::byte> blob;
  std::span<const std::byte> mapping;  ///< the mapped file around the blob, or nothing
  const ElfFile* elf;                  ///< null for raw BTF
};

using TakeSource = std::function<std::expected<void, Error>(const BtfSource&)>;

/// Opens the file at `path` ("-" is standard input) and gives each blob in it to
/// `take`: of an archive those of all members that have BTF. Files are closed
/// before returning. Errors begin with the name of the file: it cannot be read,
/// has no BTF, or `take` failed.
std::expected<void, Error> read_sources(const std::string& path, const TakeSource& take);

}  // namespace bpflink
