// A path into a type: the members and elements that a CO-RE relocation passes through.
//
// With
//
//   struct task { struct { int pid, tgid; }; long times[4]; };
//
// the access `task->times[2]` is "0:1:2": element 0 of an array of tasks, its member 1, element 2.
// `task->tgid` is "0:0:1". Its `steps` are [0] and .tgid, those that C names. Its `raw` steps
// include the member without a name.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <expected>
#include <optional>

#include "bpflink/btf_query.hpp"
#include "bpflink/core.hpp"

namespace bpflink {

/// The types of a program or of a kernel, with the size of their pointers in bytes.
struct CoreTypes {
  BtfView view;
  uint32_t pointer_size = 8;

  /// The size of a type in bytes. Loaders limit it to 32 bits.
  std::optional<uint32_t> size(uint32_t id) const {
    auto size = type_size(view, id, pointer_size);
    if (!size || *size > UINT32_MAX) return std::nullopt;
    return static_cast<uint32_t>(*size);
  }
};

/// The loaders' limit of indices in an access.
constexpr size_t max_access_length = 64;
/// Types and members with names as long or longer are not found. Loaders have no such limit, but
/// kernels accept an eighth of it; and thousands of relocations and members may share a name.
constexpr size_t max_core_name = 4096;

struct AccessPath {  // NOLINT(bugprone-exception-escape): moving plain steps throws nothing
  boost::container::small_vector<CoreStep, 8> steps;  ///< elements, and members with a name
  boost::container::small_vector<CoreStep, 8> raw;    ///< elements, and all members
  uint32_t bit_offset = 0;
  /// Members of a name on the path with another type, and the structs around them. Then
  /// `bit_offset` includes offsets of members that are not in the path.
  boost::container::small_vector<CoreStep, 8> passed;
};

/// The path of a relocation through the program's own types. For an enumerator it has one step, for
/// a type none. Errors: the access is not valid for the type.
std::expected<AccessPath, CoreReason> find_local_path(const CoreTypes& types,
                                                      const CoreRelocation& relocation);

/// Whether an array has an unknown length: no elements, and the last member of a struct. `step`
/// leads to it.
bool is_flexible_array(const BtfView& types, const CoreStep& step, BtfType array);

/// Appends a step to element `index`. `id` is the type of the elements, without modifiers.
std::expected<void, CoreReason> step_to_element(const CoreTypes& types, uint32_t id, uint32_t index,
                                                AccessPath& path);

}  // namespace bpflink
