// The phases of check_btf(), in order. Each adds its findings.
#pragma once

#include <algorithm>
#include <bit>
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bpflink/check.hpp"
#include "dedup/format/header.hpp"

namespace bpflink {

/// The faults that the checks of one blob found.
class Findings {
 public:
  /// Adds a fault of a type or of one of its elements.
  void add(BtfRule rule, uint32_t type_id, int64_t element = -1) {
    if (type_id < is_faulty_.size()) is_faulty_[type_id] = true;
    bool is_first = !is_broken_.test(static_cast<size_t>(rule));
    is_broken_.set(static_cast<size_t>(rule));
    if (faults_.size() < max_kept || is_first)
      faults_.push_back(
          {.rule = rule, .type_id = type_id, .element = static_cast<int32_t>(element)});
    else
      ++omitted_;
  }
  /// Adds a fault of the blob.
  void add(BtfRule rule) { add(rule, 0); }

  /// Prepares is_faulty() for the types below `end_id`.
  void note_types(uint32_t end_id) { is_faulty_.resize(end_id); }
  bool is_faulty(uint32_t type_id) const { return is_faulty_[type_id]; }
  /// Whether the newest kernel refuses the types.
  bool has_faults() const {
    return std::ranges::any_of(faults_, [](const BtfFault& fault) {
      return btf_rule_text(fault.rule).until == LinuxRelease();
    });
  }
  size_t count() const { return faults_.size(); }  ///< of those that are kept

  std::vector<BtfFault> take_faults() { return std::move(faults_); }
  uint64_t omitted() const { return omitted_; }

 private:
  /// How many faults are kept, and the first of each rule; others are counted.
  static constexpr size_t max_kept = 100;
  static constexpr size_t max_rules = 128;

  std::vector<BtfFault> faults_;
  uint64_t omitted_ = 0;
  std::bitset<max_rules> is_broken_;  ///< by rule
  std::vector<bool> is_faulty_;       ///< by type id
};

/// Checks that the header is well-formed and the sections fill the blob. Returns where the sections
/// are, if they can be read.
std::optional<BtfHeader> check_blob(std::span<const std::byte> blob, BtfUse use, bool is_split,
                                    Findings& findings);

/// Whether a header has fields for a layout section, which older kernels want to be zero.
bool has_layout_fields(std::span<const std::byte> blob, const BtfHeader& header);

/// Checks each type without what it refers to: names, numbers, order of members.
void check_single_types(const BtfView& types, Findings& findings);

/// Checks that types refer to valid types, have sizes where needed, and fit into their containers.
void check_resolution(const BtfView& types, Findings& findings);

/// Checks that ids are in range: the part of check_resolution() that holds for a kernel's own BTF.
void check_id_ranges(const BtfView& types, Findings& findings);

/// Whether an INT has 8, 16, 32, 64 or 128 bits, from bit 0 on.
inline bool is_regular_int(BtfType type) {
  constexpr uint32_t least = 8, most = 128;
  uint32_t bits = type.int_bits();
  return type.int_offset() == 0 && bits >= least && bits <= most && std::has_single_bit(bits);
}

/// Checks that type tags come before qualifiers and typedefs, and that chains of these are short.
void check_tag_order(const BtfView& types, Findings& findings);

/// Checks structs that have fields of the verifier's, such as locks. For types without
/// other faults than those of check_tag_order().
void check_struct_fields(const BtfView& types, Findings& findings);

/// What is wrong with split BTF that is checked without its base.
inline constexpr std::string_view lacks_base = "it is split BTF, which needs its base";

/// Why types, whose base may be another one than they were made with, or is not given, do not fit
/// it, or "".
std::string find_misfit(const BtfView& types);

/// Whether a type refers to an id that is not there.
bool refers_beyond_end(const BtfView& types);

/// The Linux release that kinds, flags and names need in BTF for `use`.
BtfRequirement find_requirement(const BtfView& types, bool has_layout, BtfUse use);

}  // namespace bpflink
