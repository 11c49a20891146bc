// Queries on the types of a Btf or BtfBuilder: look-ups by name, sizes, alignments.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "bpflink/btf.hpp"

namespace bpflink {

/// The id of the first type of that kind and name, or nothing. A base's types come first. It does
/// not find anonymous types. It walks all types: for many look-ups make a BtfIndex.
std::optional<uint32_t> find_type(const BtfView& btf, BtfKind kind, std::string_view name);

/// Finds types by kind and name in constant time.
class BtfIndex {
 public:
  /// Indexes all named types of `btf`; what it shows must outlive the index. Throws only
  /// std::bad_alloc.
  explicit BtfIndex(const BtfView& btf);
  /// Moves; what was moved from may only be assigned to or destroyed.
  BtfIndex(BtfIndex&&) noexcept;
  /// Moves, as above.
  BtfIndex& operator=(BtfIndex&&) noexcept;
  ~BtfIndex();

  /// The id of the first type of that kind and name, or nothing.
  std::optional<uint32_t> find(BtfKind kind, std::string_view name) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The type behind const, volatile, restrict and type tags. It does not look through typedefs.
uint32_t skip_qualifiers(const BtfView& btf, uint32_t id);

/// The type behind qualifiers and typedefs.
uint32_t skip_modifiers(const BtfView& btf, uint32_t id);

/// The type behind qualifiers, typedefs and arrays: the elements of arrays of arrays. An array that
/// contains itself gives an array.
uint32_t skip_arrays(const BtfView& btf, uint32_t id);

/// The bytes that an object of type `id` takes, with pointers of `pointer_size` bytes. Nothing for
/// void, functions, forward declarations, unknown kinds, and arrays of 2^64 bytes or more.
std::optional<uint64_t> type_size(const BtfView& btf, uint32_t id, uint32_t pointer_size = 8);

/// The alignment in bytes that C gives an object of type `id` on BPF: of a scalar its size; of a
/// struct or union the largest of its members'. It is 1 for a packed struct: one whose size, or the
/// offset of a member, is not a multiple of the alignment. Nothing if type_size() is nothing.
std::optional<uint32_t> type_alignment(const BtfView& btf, uint32_t id);

}  // namespace bpflink
