// Finds what took the place of a member or enumerator that a kernel lacks, for hints. Each function
// takes one from `names_left` for each name that it compares, and stops at 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bpflink/btf.hpp"

namespace bpflink {

struct FoundMember {
  uint32_t type_id;
  std::string path;  ///< from the struct that was searched: "mem[0].base"
};

/// A member that a kernel lacks, and what the program does with it.
struct MissingMember {
  const BtfView& types;   ///< the program's
  uint32_t type_id;       ///< the member's type there
  std::string_view name;  ///< "i_atime"
  std::string_view next;  ///< the member of it that is read, "tv_sec", or ""
  bool is_only;           ///< the program's struct has no other members
};

/// A member of that name, of the struct or of members in it.
std::optional<FoundMember> find_member(const BtfView& types, uint32_t id, std::string_view name,
                                       size_t& names_left);

/// A member that has the same meaning: of the same name, within other members; of a similar name
/// and the same class of types, as `__state` for `state`; `i_atime_sec` for `i_atime.tv_sec`;
/// `mem[0].base` for `core_layout.base`, if no other member has a `base`; the only member of a
/// struct for its only member in the program.
std::optional<FoundMember> find_counterpart(const BtfView& types, uint32_t id,
                                            const MissingMember& missing, size_t& names_left);

/// An enumerator of a similar name, or "".
std::string find_enumerator_like(const BtfView& types, uint32_t id, std::string_view wanted,
                                 size_t& names_left);

}  // namespace bpflink
