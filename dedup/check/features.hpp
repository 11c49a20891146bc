// What BTF may use that not every kernel reads: kinds, flags and forms of names. A requirement is
// looked up here, and so is what an older kernel gets in place of it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bpflink/check.hpp"
#include "dedup/format/kinds.hpp"

namespace bpflink {

// The Linux releases that introduced features and rules of BTF, and ended rules. The table of kinds
// has those of kinds.
namespace releases {

inline constexpr LinuxRelease first = kind_row(BtfKind::Int).since;
inline constexpr LinuxRelease functions = kind_row(BtfKind::Func).since;
inline constexpr LinuxRelease variables = kind_row(BtfKind::Var).since;
inline constexpr LinuxRelease enum_sizes = {5, 5};
inline constexpr LinuxRelease global_functions = {5, 6};
inline constexpr LinuxRelease empty_sections = {5, 12};
inline constexpr LinuxRelease floats = kind_row(BtfKind::Float).since;
inline constexpr LinuxRelease decl_tags = kind_row(BtfKind::DeclTag).since;
inline constexpr LinuxRelease type_tags = kind_row(BtfKind::TypeTag).since;
inline constexpr LinuxRelease tag_order = {5, 19};  ///< kernels look for kptrs in maps
inline constexpr LinuxRelease enum64 = kind_row(BtfKind::Enum64).since;
inline constexpr LinuxRelease long_names = {6, 1};     ///< KSYM_NAME_LEN became 512
inline constexpr LinuxRelease any_variables = {6, 3};  ///< a DATASEC may come before its variables
inline constexpr LinuxRelease dots = {6, 5};
inline constexpr LinuxRelease section_names = {6, 9};
inline constexpr LinuxRelease tags_of_members = {6, 12};  ///< kernels look for kptrs in structs
inline constexpr LinuxRelease user_pointers = {6, 13};
inline constexpr LinuxRelease attributes = {6, 15};
inline constexpr LinuxRelease layouts = {7, 1};
inline constexpr LinuxRelease tags_anywhere = {7, 2};  ///< they need not come first, nor be known

}  // namespace releases

/// What stands for a type in BTF for a release that does not read it. It has as many words.
enum class Replacement : uint8_t {
  None,          ///< nothing can
  CleanName,     ///< '_' for each character that the release does not take in the type's names
  NoKindFlag,    ///< the same type without kind_flag
  PlainMembers,  ///< the same struct without kind_flag, if it has no bit-fields
  NoLinkage,     ///< a static FUNC
  Byte,          ///< an INT of one byte
  EmptyStruct,   ///< a STRUCT of the same size without a name
  Members,       ///< a STRUCT whose members are the variables
  ConstType,     ///< a CONST
  UnionOfInts,   ///< a UNION of the same size whose members are the enumerators
  Enumerators,   ///< an ENUM whose enumerators are the parameters
  TypedefType,   ///< a TYPEDEF
};

/// A row of the table of features.
struct Feature {
  LinuxRelease since;     ///< the first release that reads it
  std::string_view what;  ///< what messages call it
  KindSet kinds;          ///< the kinds of the types that may use it
  /// Whether a type of these kinds does; null: each does.
  bool (*is_used)(const BtfView& types, BtfType type);
  Replacement replacement;
  /// Whether it matters only in BTF that is loaded. Kernels before `since` did not read their own.
  bool only_when_loaded = false;
};

/// The table, newest features first.
std::span<const Feature> btf_features();

/// Whether a type of a known kind uses a feature, in BTF for `use`.
inline bool uses(const Feature& feature, const BtfView& types, BtfType type, BtfUse use) {
  return feature.kinds.contains(type.kind()) &&
         (use == BtfUse::Program || !feature.only_when_loaded) &&
         (feature.is_used == nullptr || feature.is_used(types, type));
}

}  // namespace bpflink
