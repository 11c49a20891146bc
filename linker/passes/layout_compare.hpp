// Whether two definitions of one tag lay out their objects alike.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bpflink/btf.hpp"

namespace bpflink {

/// What one definition says where two differ.
struct LayoutSide {
  uint32_t type = 0;    ///< of the member; 0: there is none
  std::string note;     ///< "at byte 8", "no such member"
  int32_t member = -1;  ///< of the definition, or its enumerator: an index; -1: none
};

/// The first difference in the order of bytes.
struct LayoutDifference {
  std::string path;  ///< ".a.b"; "" for the whole
  uint64_t bit_offset = 0;
  LayoutSide a, b;
};

/// Compares definitions of two inputs. Two structs or unions agree if members of one name have
/// the same place and width, and what only one of them has is called otherwise in the other, or
/// padding. Members of anonymous structs and unions are members of what these are in. Not looked
/// at are the types of members: a pointer as a number is laid out alike.
///
/// Definitions that hide their contents agree with what fits them: those without members, and
/// those of one array of integers. Arrays without a length at the end agree with any.
class LayoutComparer {
 public:
  /// Members of all that is compared, and pairs that are met on the way; no source has as many.
  static constexpr size_t most_work = 1 << 20;

  /// For definitions of two inputs. `work` is what all comparers of a link have done together,
  /// which ends, as if all agreed, beyond most_work.
  LayoutComparer(const Btf& a, const Btf& b, size_t& work) : a_(a), b_(b), work_(work) {}

  /// A member that both have.
  struct CommonMember {
    std::string path;     ///< ".a.b"
    uint64_t bit_offset;  ///< in that where it comes first
    uint32_t a, b;        ///< their types
  };

  /// Of two STRUCTs or UNIONs. Adds to `common` what both have.
  std::optional<LayoutDifference> compare_records(uint32_t a, uint32_t b,
                                                  std::vector<CommonMember>& common);
  /// Of two ENUMs or ENUM64s: enumerators of one name have one value. One that only one of them has
  /// is none of the other's business, and those that count the others may move for it.
  std::optional<LayoutDifference> compare_enums(uint32_t a, uint32_t b);

 private:
  struct Field;
  class Coverage;
  using Fields = std::vector<Field>;
  using Index = std::unordered_map<std::string_view, const Field*>;

  std::optional<Fields> fields_of(const Btf& btf, uint32_t record);
  static bool hides_contents(const Btf& btf, uint32_t record, const Fields& fields,
                             uint32_t size_of_other);

  const Btf &a_, &b_;
  size_t& work_;
};

}  // namespace bpflink
