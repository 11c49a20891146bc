// The Linux releases that introduced features and rules of BTF, and ended rules. The table of kinds
// has those of kinds.
#pragma once

#include "dedup/format/kinds.hpp"

namespace bpflink::releases {

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

}  // namespace bpflink::releases
