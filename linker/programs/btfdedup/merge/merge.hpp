// Reads the inputs of a run, and merges them.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bpflink/dedup.hpp"
#include "bpflink/error.hpp"
#include "linker/programs/btfdedup/inputs.hpp"
#include "linker/programs/btfdedup/merge/image_btf.hpp"
#include "linker/programs/btfdedup/merge/statistics.hpp"
#include "linker/programs/btfdedup/merge/update.hpp"
#include "linker/programs/btfdedup/options.hpp"
#include "linker/programs/btfdedup/show/selection.hpp"

namespace bpflink {

class DwarfStringPool;

/// The types of all inputs, each once.
struct MergedBtf {
  std::vector<std::string> names;  ///< of the inputs, as are the type maps
  /// The inputs with their sizes, if the output is described.
  std::vector<std::pair<Btf, uint64_t>> inputs;
  DedupResult dedup;
  std::endian order = std::endian::native;  ///< of the first input
  std::optional<ElfFile> like;              ///< the first ELF input, without its sections
  Statistics statistics;
  bool has_dwarf = false;  ///< of an input that types were read from
  /// The blobs of the input, if that is the updated file.
  std::vector<UpdatedBlob> updated;
  /// The only input, if it is a linked kernel's and stays as it is, or empty. There are no types in
  /// `dedup`.
  std::span<const std::byte> kernel;
  PrintedChoice choice;  ///< of the types, if some were chosen
};

/// Use: read() reads all files, run() merges.
class Merger {
 public:
  /// `bases` are those of the options, if they are read already.
  explicit Merger(const BtfdedupOptions& options, Bases bases = {});

  /// Errors: a file cannot be read, is malformed, or does not fit the options. They name the file.
  std::expected<void, Error> read();
  /// Errors: those of Deduplicator::run().
  std::expected<MergedBtf, Error> run();

  /// All opened files. The result is a view of them.
  std::span<const InputFile> files() const { return files_; }
  /// What the result is split from, or was, if it is flattened or chosen; or null.
  const Btf* base() const { return last_of(bases_); }

 private:
  std::expected<void, Error> read_image_symbols(const std::string& path, const ElfFile& elf);
  std::expected<void, Error> begin(const BtfSource& first);
  std::expected<bool, Error> sorts() const;
  std::expected<void, Error> add(BtfSource source);
  std::expected<void, Error> add(const BtfSource& source, const std::string& name,
                                 std::span<const std::byte> blob);
  std::expected<bool, Error> add_dwarf(BtfSource& source, bool is_alone);
  bool is_relocatable(const BtfSource& source) const;
  std::expected<void, Error> relocate(BtfSource& source);
  bool has_begun() const { return deduplicator_ || image_deduplicator_; }
  bool keeps_kernel() const;
  std::expected<DedupResult, Error> run_image_btf();
  void count_bases();

  const BtfdedupOptions& options_;
  const bool is_described_;
  std::vector<InputFile> files_;  ///< mapped until the end
  Bases bases_;
  std::unique_ptr<Selection> selection_;  ///< or null, for all types
  std::optional<ModuleRelocator> relocator_;
  std::span<const std::byte> base_of_inputs_;  ///< their common section .BTF.base, or empty
  std::optional<ImageSymbols> image_symbols_;
  std::string image_name_;                    ///< of the file with these symbols
  std::optional<Deduplicator> deduplicator_;  ///< either this one or image_deduplicator_
  std::optional<ImageDeduplicator> image_deduplicator_;
  std::vector<std::shared_ptr<const DwarfStringPool>> dwarf_strings_;  ///< of units in inputs
  bool updates_own_types_ = false;  ///< whether the only input is the updated file
  MergedBtf merged_;
};

}  // namespace bpflink
