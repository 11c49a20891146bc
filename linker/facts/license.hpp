// Licenses of programs.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace bpflink {

/// What makes programs compatible.
inline constexpr std::string_view gpl_advice = "char LICENSE[] SEC(\"license\") = \"GPL\";";

/// Whether programs of a license may call what is for the GPL: the same list as in the kernel's
/// include/linux/license.h.
inline bool is_gpl_compatible(std::string_view license) {
  constexpr std::string_view compatible[] = {
      "GPL", "GPL v2", "GPL and additional rights", "Dual BSD/GPL", "Dual MIT/GPL", "Dual MPL/GPL"};
  return std::ranges::find(compatible, license) != std::end(compatible);
}

}  // namespace bpflink
