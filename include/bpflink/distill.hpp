// Distilled BTF: split BTF with a small base of its own, which fits later builds of the real base.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/dedup.hpp"

namespace bpflink {

/// What distill() made.
struct DistilledBtf {
  /// The distilled base as a blob, a module's section `.BTF.base`: the types of the real base that
  /// the split ones need, with their names and sizes. INT, FLOAT and FWD are complete. A STRUCT or
  /// UNION has no members. An ENUM has no enumerators and also stands for an ENUM64.
  std::vector<std::byte> base_blob;
  /// The types of `base_blob`, which it points into. Not null.
  std::unique_ptr<const Btf> base;
  /// The split types, split from `base`, which must outlive them: those of the input in their
  /// order, then the types of the real base that they need and that have no name, such as pointers.
  /// Sorted by name if the input is. More may be added before `finish()`.
  BtfBuilder types;
  /// Maps ids of the input and of the real base to those of `types` and `base`. Ids that nothing
  /// needs map to 0.
  TypeMap type_map;
};

/// Makes split BTF independent of the ids and offsets of its base, as the kernel's resolve_btfids
/// does with `--distill_base`: the loader finds the types of the distilled base by name and size in
/// its own base. That may be another build, if it has these types.
///
/// `split` must have a base. `needed` are ids that something else than types refers to, such as a
/// section `.BTF_ids`. `order` is the byte order of `base_blob`. Errors: there is no base; a type
/// refers to a function, a variable, a declaration tag or a type of an unknown kind of the base,
/// which no loader could find, or to a member of one of its structs; a type of `split` is of an
/// unknown kind; a limit of BtfBuilder::finish().
std::expected<DistilledBtf, Error> distill(const Btf& split, std::endian order,
                                           std::span<const uint32_t> needed = {});

}  // namespace bpflink
