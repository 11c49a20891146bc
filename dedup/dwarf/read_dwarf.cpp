// Makes BTF of all units of a file's DWARF. Begin here.
//
// A unit's types are a blob of their own (unit_types.cpp), as a compiler would have written it, and
// what deduplication takes as an input. Units do not know of each other, so workers read them at
// the same time. All have one string section (strings.hpp).
#include "dedup/dwarf/read_dwarf.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <iterator>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "dedup/format/access.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/merge/run_threads.hpp"
#include "dedup/messages.hpp"
#include "dedup/try.hpp"

namespace bpflink {
namespace {

/// Where the parts of a package begin that a unit's offsets are relative to, in the order of units.
/// The indexes of a package are hash tables, of which only the rows are needed. Specification:
/// DWARF 5, section 7.3.5.3.
std::expected<std::vector<DwarfUnit>, Error> read_indexes(const DwarfSections& sections) {
  enum Column : uint8_t { Info = 1, Types, Abbreviations, LocationLists = 5, StringOffsets };
  std::vector<DwarfUnit> rows;
  for (auto index : {sections.unit_index, sections.type_index}) {
    if (index.empty()) continue;
    DwarfCursor cursor(index, 0, sections.order);
    cursor.skip(4);  // the version, of which both have the same rows
    uint64_t columns = cursor.take_number(4), count = cursor.take_number(4);
    cursor.skip(12 * cursor.take_number(4));
    if (columns * 4 > cursor.left() || (count + 1) * columns > cursor.left() / 4)
      return fail("{}: the index of the package is cut off", sections.place);
    DwarfCursor kinds = cursor;
    cursor.skip(4 * columns);
    std::vector<uint64_t DwarfUnit::*> places;
    bool is_for_set = false;
    for (uint64_t i = 0; i < columns; ++i) {
      uint64_t kind = kinds.take_number(4);
      bool is_info = kind == (sections.has_old_type_units ? Types : Info);
      is_for_set |= is_info;
      places.push_back(is_info                 ? &DwarfUnit::begin
                       : kind == Abbreviations ? &DwarfUnit::abbreviations
                       : kind == LocationLists ? &DwarfUnit::location_lists
                       : kind == StringOffsets ? &DwarfUnit::string_offsets
                                               : nullptr);
    }
    for (uint64_t i = 0; is_for_set && i < count; ++i) {
      DwarfUnit& row = rows.emplace_back();
      for (auto place : places) {
        uint64_t offset = cursor.take_number(4);
        if (place) row.*place = offset;
      }
    }
  }
  std::ranges::sort(rows, {}, &DwarfUnit::begin);
  return rows;
}

/// Adds the headers of all units of a set.
std::expected<void, Error> list_units(const DwarfSections& sections,
                                      std::vector<DwarfUnit>& units) {
  auto parts = TRY(read_indexes(sections));
  auto part = parts.begin();
  DwarfUnit package;
  for (uint64_t at = 0; at < sections.info.size();) {
    DwarfCursor cursor(sections.info, at, sections.order);
    DwarfUnit unit = DwarfUnit::take(cursor, sections);
    if (!cursor.is_good()) return fail("{}+{:#x}: the unit is cut off", sections.place, at);
    if (unit.version < 2 || unit.version > 5)
      return fail("{}+{:#x}: the unit has version {} of DWARF, which is unknown", sections.place,
                  at, unit.version);
    for (; part != parts.end() && part->begin <= at; ++part) package = *part;
    unit.abbreviations += package.abbreviations;
    unit.string_offsets = package.string_offsets;
    unit.location_lists = package.location_lists;
    at = unit.end;
    units.push_back(unit);
  }
  return {};
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
  DwarfReader(DwarfFiles& files, const DwarfWanted& wanted, unsigned threads)
      : files_(files),
        wanted_(wanted),
        threads_(threads),
        pool_(std::make_shared<DwarfStringPool>(files.front())) {}

  std::expected<DwarfTypes, Error> run(const OpenSplitFiles& open_split) {
    TRY(read_files());
    if (auto skeletons = list_skeletons(); !skeletons.empty()) {
      TRY(open_split(skeletons));
      for (const DwarfSkeleton& skeleton : skeletons) skeletons_.emplace(skeleton.id, skeleton);
      TRY(read_files());
      TRY(check_ids());
    }
    DwarfTypes types{.strings = pool_, .units = {}, .functions = {}, .omissions = {}};
    for (size_t i = 0; i < blobs_.size(); ++i) {
      auto& blob = blobs_[i];
      if (!blob) continue;
      types.functions.push_back(std::move(functions_[i]));
      blob->show(blob->own_words, pool_->section());
      types.units.push_back(BtfAccess::wrap(std::move(blob)));
    }
    for (const UnitTypes& reader : readers_) types.omissions.add(reader.omissions());
    return types;
  }

 private:
  /// Reads the files that are not read yet.
  std::expected<void, Error> read_files() {
    uint64_t bytes = 0;
    next_ = units_.size();
    for (size_t i = 0; i < files_.size(); ++i) {
      DwarfSections& set = files_[i];
      if (i >= listed_) {
        set.origin = bytes;
        if (set.is_split) set.addresses = files_.front().addresses;
        TRY(list_units(set, units_));
      }
      bytes += set.info.size();
    }
    listed_ = files_.size();
    blobs_.resize(units_.size());
    functions_.resize(units_.size());
    const size_t first = readers_.size();
    unsigned workers = choose_workers(bytes, threads_);
    for (unsigned i = 0; i < workers; ++i)
      readers_.emplace_back(files_, skeletons_, wanted_, *pool_);
    run_threads(workers, [&](unsigned worker) { read_units(readers_[first + worker]); });
    if (failed_ != SIZE_MAX) return std::unexpected(error_);
    if (is_joined_) TRY(read_joined());
    return {};
  }

  void read_units(UnitTypes& types) {
    for (size_t i = next_++; i < units_.size() && i < failed_ && !is_joined_; i = next_++) {
      if (units_[i].sections->is_supplementary) continue;
      auto has_types = types.read(units_[i]);
      if (!has_types) note_error(i, has_types.error());
      if (types.has_foreign_reference())
        is_joined_ = true;
      else if (has_types && *has_types)
        keep_unit(types, i);
    }
  }

  void keep_unit(const UnitTypes& types, size_t i) {
    blobs_[i] = keep(types, files_.front().order);
    functions_[i].assign(types.functions().begin(), types.functions().end());
  }

  /// Reads all units as one, because some refer to others. Deduplication takes it apart again.
  std::expected<void, Error> read_joined() {
    std::ranges::fill(blobs_, nullptr);
    std::ranges::fill(functions_, std::vector<ImageFunction>());
    readers_.clear();
    UnitTypes& types = readers_.emplace_back(files_, skeletons_, wanted_, *pool_);
    auto has_types = TRY(types.read_joined(units_));
    if (has_types) keep_unit(types, 0);
    return {};
  }

  /// In the order of their places.
  std::vector<DwarfSkeleton> list_skeletons() const {
    std::vector<DwarfSkeleton> skeletons;
    for (const UnitTypes& reader : readers_)
      std::ranges::copy(reader.found_skeletons(), std::back_inserter(skeletons));
    std::ranges::sort(skeletons, {}, &DwarfSkeleton::place);
    return skeletons;
  }

  /// Whether the opened files have what the skeletons say.
  std::expected<void, Error> check_ids() const {
    std::unordered_set<uint64_t> found;
    for (const UnitTypes& reader : readers_)
      found.insert(reader.found_ids().begin(), reader.found_ids().end());
    for (const auto& [id, skeleton] : skeletons_)
      if (!found.contains(id))
        return fail("{}, or the package, has no unit with the id {:016x}: it is of another build",
                    skeleton.name, id);
    return {};
  }

  /// Keeps the error of the first unit that has one.
  void note_error(size_t unit, const Error& error) {
    std::lock_guard lock(mutex_);
    if (unit >= failed_) return;
    failed_ = unit;
    error_ = error;
  }

  DwarfFiles& files_;
  size_t listed_ = 0;  ///< files whose units are listed
  const DwarfWanted& wanted_;
  const unsigned threads_;
  DwarfSkeletons skeletons_;  ///< of opened files
  std::vector<DwarfUnit> units_;
  std::deque<UnitTypes> readers_;                        ///< one for each worker
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

std::expected<DwarfTypes, Error> read_dwarf(DwarfFiles& files, const DwarfWanted& wanted,
                                            unsigned threads, const OpenSplitFiles& open_split) {
  try {
    return DwarfReader(files, wanted, threads).run(open_split);
  } catch (const std::length_error&) {
    return fail("DWARF has more bytes of strings than BTF can refer to");
  }
}

}  // namespace bpflink
