// What a run shows of its output: reports, a size map, warnings.
#pragma once

#include <expected>
#include <span>
#include <string>

#include "bpflink/btf.hpp"
#include "bpflink/error.hpp"
#include "linker/programs/btfdedup/merge/merge.hpp"
#include "linker/programs/btfdedup/options.hpp"

namespace bpflink {

/// The output of a run.
struct ShownBtf {
  const std::string& name;  ///< of the file, or of what is only shown
  std::span<const std::byte> blob;
  const Btf& btf;  ///< the blob, parsed
  const MergedBtf& merged;
};

/// The page of --size-map.
std::string size_map_of(const ShownBtf& output);

/// Prints what the options ask for to standard output. Errors: --explain names nothing there is;
/// standard output cannot be written.
std::expected<void, Error> print_reports(const BtfdedupOptions& options, const ShownBtf& output);

/// Warns about types that kernels reject: for an object, after the loader's changes. `file` is what
/// was written, or the blob.
void warn_of_faults(const ShownBtf& output, std::span<const std::byte> file);

}  // namespace bpflink
