// Questions about the types of a Btf or BtfBuilder that take more than one of its types to
// answer: look-ups by name, what is behind modifiers, sizes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "bpflink/btf.hpp"
#include "bpflink/export.hpp"

namespace bpflink {

/// The id of the first type of that kind and name, a base's types first.
/// Nothing where there is none; anonymous types are not found. Walks all types:
/// for many look-ups make a BtfIndex.
BPFLINK_API std::optional<uint32_t> find_type(const BtfView& btf, BtfKind kind,
                                              std::string_view name);

/// Finds types by kind and name in constant time.
class BPFLINK_API BtfIndex {
 public:
  /// Takes in all named types of `btf`; what it shows must outlive the index. Throws
  /// std::bad_alloc, and nothing else.
  explicit BtfIndex(const BtfView& btf);
  /// Moves; what was moved from may only be assigned to or destroyed.
  BtfIndex(BtfIndex&&) noexcept;
  /// Moves, as above.
  BtfIndex& operator=(BtfIndex&&) noexcept;
  ~BtfIndex();

  /// The id of the first type of that kind and name, or nothing.
  std::optional<uint32_t> find(BtfKind kind, std::string_view name) const;
  /// The id of the first type that C calls `name`, or nothing: "struct event", "union u", "enum e",
  /// or the name of a typedef, integer or floating-point number, such as "unsigned int".
  std::optional<uint32_t> find_c_type(std::string_view name) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Calls `visit` with each type id that type `id` refers to, in the order in
/// which they are encoded; void, which is 0, among them. The ids that a type
/// leads to are found by visiting on from there; types may lead back to
/// themselves.
BPFLINK_API void visit_references(const BtfView& btf, uint32_t id,
                                  const std::function<void(uint32_t)>& visit);

/// The id of the type that `id` stands for when const, volatile, restrict and
/// type tags are taken away, and nothing else: a typedef stays.
BPFLINK_API uint32_t skip_qualifiers(const BtfView& btf, uint32_t id);

/// The same with typedefs taken away too.
BPFLINK_API uint32_t skip_modifiers(const BtfView& btf, uint32_t id);

/// The bytes that an object of type `id` takes, with pointers of 8 bytes, as BPF
/// has them, or of `pointer_size`. Nothing for void, functions, forward
/// declarations, kinds that are not known, and arrays of 2^64 bytes or more.
BPFLINK_API std::optional<uint64_t> type_size(const BtfView& btf, uint32_t id,
                                              uint32_t pointer_size = 8);

/// The alignment in bytes that C gives an object of type `id` on BPF: that of
/// the scalar for scalars (of the smaller of size and 8), the largest of the
/// members' for structs and unions, and 1 for a struct that is packed: one with
/// a member at an offset, or a size, that is no multiple of what C would ask
/// for. Nothing where type_size() is nothing.
BPFLINK_API std::optional<uint32_t> type_alignment(const BtfView& btf, uint32_t id);

}  // namespace bpflink
