// What a Deduplicator holds. deduplicator.cpp says what it all is for, and ends the work;
// add_inputs.cpp takes inputs in, local_classes.cpp finds what names do not tell in one.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bpflink/dedup.hpp"
#include "dedup/ambiguity/taint.hpp"
#include "dedup/classes/canonicalize.hpp"
#include "dedup/classes/class_table.hpp"
#include "dedup/classes/type_reader.hpp"
#include "dedup/classes/unit.hpp"

namespace bpflink {

/// How much an input, or several, may add to a table.
struct Size {
  uint64_t types = 0;
  uint64_t words = 0;
  uint64_t string_bytes = 0;

  Size() = default;
  explicit Size(const Btf& btf)
      : types(btf.end_id()), words(count_words(btf)), string_bytes(btf.string_end()) {}

  void add(const Size& other) {
    types += other.types;
    words += other.words;
    string_bytes += other.string_bytes;
  }
};

struct BPFLINK_INTERNAL Deduplicator::Impl {
  DedupOptions options;
  TypeTable table;
  Canonicalizer canonicalizer{table};
  Taint taint{table};
  std::vector<Unit> units{1};  ///< the base, empty if there is none, and the inputs
  /// By class: 0 if no unit has types of it, else how many units were counted that have. Of
  /// units that were sorted before, those where a class was noted as new count.
  std::vector<uint32_t> class_users;
  std::vector<BtfKindLayout> layout;
  std::vector<uint32_t> definitions;  ///< by anchor, 0 but within find_ambiguous()
  std::optional<Error> failure;
  /// Whether it is known that no type contains itself, even if each forward declaration
  /// stands for its definition.
  bool is_sound = false;

  /// The base's classes that are not local.
  std::vector<uint32_t> base_classes;
  /// By anchor: the one of these that defines it, or 0.
  std::vector<uint32_t> base_definitions;

  Unit& base() { return units.front(); }

  std::expected<void, Error> take_layout(const Btf& btf);
  std::expected<void, Error> check_room(const Size& size) const;
  unsigned choose_sharers(std::span<const DedupInput> inputs) const;
  std::expected<void, Error> take_base(const Btf& btf);
  std::expected<void, Error> classify(const Btf& btf, Unit& unit, bool has_omissions,
                                      Checks checks);
  bool is_valid();
  bool taint_confused();
  std::vector<uint32_t> find_confused(const Unit& unit);
  std::optional<std::vector<uint32_t>> find_confused_if_valid(const Btf& btf, const Unit& unit);
  void take_classified(const Btf& btf, Unit& unit, std::span<const uint32_t> confused);
  void add(const Btf& btf, Unit& unit, bool has_omissions);
  void add(DedupInput input);
  void add_in_parallel(std::vector<DedupInput> inputs, unsigned threads);
  void add_sorted(SortedInputs sorted);
  std::vector<Unit> make_units(std::vector<DedupInput>& inputs);
  void take_units(const std::vector<DedupInput>& inputs, std::vector<Unit> added);
  std::vector<uint32_t> take_table(TypeReader& reader);
  void leave_out(SortedInputs& all);
  void take_sorted(Unit& unit, SortedTypes sorted, std::span<const uint32_t> merged);

  void count_users(std::span<const uint32_t> classes);
  void uncount_unused(std::span<const uint32_t> had, const Unit& unit,
                      std::span<const uint32_t> ids);
  std::vector<Reference> find_ambiguous(std::span<const uint32_t> classes, bool is_base);
  std::vector<Reference> find_redefined(std::span<const uint32_t> classes) const;
  std::vector<uint32_t> find_tainted(std::span<const uint32_t> classes, uint32_t first) const;
  bool is_worth_cutting(const Unit& unit, size_t tainted_types,
                        std::span<const uint32_t> seen) const;
  std::vector<uint32_t> find_tainted_in_parts(Unit& unit, std::span<const uint32_t> ids);
  void localize(const Btf& btf, Unit& unit, std::span<const uint32_t> ids);
  void localize_base(std::span<const Reference> anchors);

  std::vector<Reference> find_taint_sources() const;
  std::vector<uint32_t> used_classes() const;
  void taint_ambiguous();
  std::expected<void, Error> check_sizes(const BtfBuilder& types) const;
  std::vector<uint32_t> choose_representatives() const;
};

}  // namespace bpflink
