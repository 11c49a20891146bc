// What kernels demand of the locks, lists and trees in values of maps.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "bpflink/check.hpp"
#include "linker/files/object_file.hpp"

namespace bpflink {

/// What kernels do not accept of the type of a map's value.
struct ValueFault {
  std::string text;      ///< the rest of a sentence about the map; "" for no fault
  LinuxRelease since{};  ///< earlier kernels do not look for it
};

class ValueRules {
 public:
  /// The object must outlive this, and have BTF.
  explicit ValueRules(const ObjectFile& object) : object_(object), types_(*object.btf) {}

  /// Finds several locks, or a list or tree whose tag names no node. Kernels create the map without
  /// its types, and refuse programs that lock the value.
  ValueFault find_fault(uint32_t value_type);
  /// Whether the value has a lock.
  bool has_lock(uint32_t value_type) const;
  /// Whether a member of the value is a struct of that name.
  bool has_field(uint32_t value_type, std::string_view of_struct) const;

 private:
  struct Index {
    /// By struct and member: what a tag "contains:STRUCT:MEMBER" says of it.
    std::map<std::pair<uint32_t, uint32_t>, std::string_view> tags;
    /// Struct, member, and the struct that the member is.
    std::set<std::tuple<std::string_view, std::string_view, std::string_view>> nodes;
  };
  const Index& index();
  template <typename Predicate>
  bool has_member(uint32_t value_type, Predicate is_wanted) const;
  uint32_t struct_of(uint32_t value_type) const;
  std::string_view struct_name(uint32_t id) const;
  ValueFault find_member_fault(uint32_t value, uint32_t member);

  const ObjectFile& object_;
  const BtfView& types_;
  std::optional<Index> index_;
};

}  // namespace bpflink
