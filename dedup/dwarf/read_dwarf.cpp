// Makes BTF of all units of a file's DWARF. Begin here.
//
// A unit's types are a blob of their own (unit_types.cpp), as a compiler would have written it, and
// what deduplication takes as an input. Units do not know of each other, so workers read them at
// the same time. All have one string section (strings.hpp).
#include "dedup/dwarf/read_dwarf.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include "dedup/format/access.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/merge/run_threads.hpp"
#include "dedup/messages.hpp"
#include "dedup/try.hpp"

namespace bpflink {
namespace {

/// The headers of all units.
std::expected<std::vector<DwarfUnit>, Error> list_units(const DwarfSections& sections) {
  std::vector<DwarfUnit> units;
  for (uint64_t at = 0; at < sections.info.size();) {
    DwarfCursor cursor(sections.info, at, sections.order);
    DwarfUnit unit = DwarfUnit::take(cursor);
    if (!cursor.is_good()) return fail(".debug_info+{:#x}: the unit is cut off", at);
    if (unit.version < 2 || unit.version > 5)
      return fail(".debug_info+{:#x}: the unit has version {} of DWARF, which is unknown", at,
                  unit.version);
    at = unit.end;
    units.push_back(unit);
  }
  return units;
}

/// The types that `types` has read, as a blob.
std::shared_ptr<BtfAccess::Impl> keep(const UnitTypes& types, std::endian order) {
  auto impl = std::make_shared<BtfAccess::Impl>();
  impl->order = order;
  impl->own_words.assign(types.words().begin(), types.words().end());
  impl->starts.assign(types.starts().begin(), types.starts().end());
  for (uint32_t id = 1; id < impl->starts.size(); ++id)
    if (is_object(kind_of(&impl->own_words[impl->starts[id - 1]]))) impl->objects.push_back(id);
  return impl;
}

/// The units, read by several workers.
class DwarfReader {
 public:
  DwarfReader(const DwarfSections& sections, const DwarfWanted& wanted,
              std::vector<DwarfUnit> units)
      : sections_(sections),
        wanted_(wanted),
        units_(std::move(units)),
        blobs_(units_.size()),
        functions_(units_.size()),
        pool_(std::make_shared<DwarfStringPool>(sections)) {}

  std::expected<DwarfTypes, Error> run(unsigned workers) {
    std::vector<DwarfOmissions> omissions(workers);
    run_threads(workers, [&](unsigned worker) { omissions[worker] = read_units(); });
    if (failed_ != SIZE_MAX) return std::unexpected(error_);
    if (is_joined_) TRY(read_joined(omissions));
    DwarfTypes types{.strings = pool_, .units = {}, .functions = {}, .omissions = {}};
    for (size_t i = 0; i < blobs_.size(); ++i) {
      auto& blob = blobs_[i];
      if (!blob) continue;
      types.functions.push_back(std::move(functions_[i]));
      blob->show(blob->own_words, pool_->section());
      types.units.push_back(BtfAccess::wrap(std::move(blob)));
    }
    for (const DwarfOmissions& part : omissions) types.omissions.add(part);
    return types;
  }

 private:
  DwarfOmissions read_units() {
    UnitTypes types(sections_, wanted_, *pool_);
    for (size_t i = next_++; i < units_.size() && i < failed_; i = next_++) {
      auto has_types = types.read(units_[i]);
      if (!has_types) note_error(i, has_types.error());
      if (types.has_foreign_reference()) is_joined_ = true;
      if (is_joined_) break;
      if (has_types && *has_types) keep_unit(types, i);
    }
    return types.omissions();
  }

  void keep_unit(const UnitTypes& types, size_t i) {
    blobs_[i] = keep(types, sections_.order);
    functions_[i].assign(types.functions().begin(), types.functions().end());
  }

  /// Reads all units as one, because some refer to others. Deduplication takes it apart again.
  std::expected<void, Error> read_joined(std::vector<DwarfOmissions>& omissions) {
    std::ranges::fill(blobs_, nullptr);
    std::ranges::fill(functions_, std::vector<ImageFunction>());
    UnitTypes types(sections_, wanted_, *pool_);
    auto has_types = TRY(types.read_joined(units_));
    if (has_types) keep_unit(types, 0);
    omissions.assign(1, types.omissions());
    return {};
  }

  /// Keeps the error of the first unit that has one.
  void note_error(size_t unit, const Error& error) {
    std::lock_guard lock(mutex_);
    if (unit >= failed_) return;
    failed_ = unit;
    error_ = error;
  }

  const DwarfSections& sections_;
  const DwarfWanted& wanted_;
  std::vector<DwarfUnit> units_;
  std::vector<std::shared_ptr<BtfAccess::Impl>> blobs_;  ///< by unit, null if it has no types
  std::vector<std::vector<ImageFunction>> functions_;    ///< by unit
  std::shared_ptr<DwarfStringPool> pool_;
  std::atomic<size_t> next_ = 0;
  std::atomic<bool> is_joined_ = false;  ///< whether units refer to others
  std::mutex mutex_;
  std::atomic<size_t> failed_ = SIZE_MAX;  ///< a unit
  Error error_;
};

}  // namespace

std::expected<DwarfTypes, Error> read_dwarf(const DwarfSections& sections,
                                            const DwarfWanted& wanted, unsigned threads) {
  auto units = TRY(list_units(sections));
  unsigned workers = choose_workers(sections.info.size(), threads);
  try {
    return DwarfReader(sections, wanted, std::move(units)).run(workers);
  } catch (const std::length_error&) {
    return fail("DWARF has more bytes of strings than BTF can refer to");
  }
}

}  // namespace bpflink
