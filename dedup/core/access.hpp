// A path into a type: which members and elements a CO-RE relocation passes through.
//
// With
//
//   struct task { struct { int pid, tgid; }; long times[4]; };
//
// the access `task->times[2]` is "0:1:2": element 0 of an array of tasks, its member 1, element 2.
// `task->tgid` is "0:0:1". Its `steps` are [0] and .tgid: what C names. Its `raw` steps have the
// member without a name, too.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <expected>
#include <optional>

#include "bpflink/btf_query.hpp"
#include "bpflink/core.hpp"

namespace bpflink {

/// The types of one side, with the size of their pointers in bytes.
struct CoreTypes {
  BtfView view;
  uint32_t pointer_size = 8;

  /// The bytes of a type, as loaders count them: fewer than 2^32.
  std::optional<uint32_t> size(uint32_t id) const {
    auto size = type_size(view, id, pointer_size);
    if (!size || *size > UINT32_MAX) return std::nullopt;
    return static_cast<uint32_t>(*size);
  }
};

/// The most indices in an access, as loaders have it.
constexpr size_t max_access_length = 64;

struct AccessPath {  // NOLINT(bugprone-exception-escape): moving plain steps throws nothing
  boost::container::small_vector<CoreStep, 8> steps;  ///< members with a name, and elements
  boost::container::small_vector<CoreStep, 8> raw;    ///< members without a name, too
  uint32_t bit_offset = 0;
  bool is_shifted = false;  ///< `bit_offset` counts a member, too, that the path does not have
};

/// The path that a relocation takes through the program's own types: of an enumerator its one step,
/// of a type none. Errors: it leads nowhere.
std::expected<AccessPath, CoreReason> find_local_path(const CoreTypes& types,
                                                      const CoreRelocation& relocation);

/// Whether an array is of unknown length: the last member of a struct, without elements. `step`
/// is the one that led to it.
bool is_flexible_array(const BtfView& types, const CoreStep& step, BtfType array);

/// Goes to element `index` of what the last step led to, of type `id`, modifiers taken away.
std::expected<void, CoreReason> step_to_element(const CoreTypes& types, uint32_t id, uint32_t index,
                                                AccessPath& path);

}  // namespace bpflink
