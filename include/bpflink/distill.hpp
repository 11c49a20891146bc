// Split BTF with a small base of its own, which fits the next build of the real one.
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
  /// The distilled base as a blob, what a module carries as its section `.BTF.base`: the types of
  /// the real base that the split ones need, which have names, sizes and nothing else. INT, FLOAT
  /// and FWD are as they were; a STRUCT or UNION has no members; an ENUM no enumerators, which
  /// stands for an ENUM64, too.
  std::vector<std::byte> base_blob;
  /// The types of `base_blob`, which it points into. Not null.
  std::unique_ptr<const Btf> base;
  /// The split types, split from `base`, which must outlive it: those of the input in their order,
  /// then what they need of the real base and has no name to find it by, such as pointers. In
  /// order of their names where the input is. More may be added before `finish()`.
  BtfBuilder types;
  /// From ids of the input, those of the real base among them, to those of `types` and `base`. Ids
  /// that nothing needs map to 0.
  TypeMap type_map;
};

/// Makes split BTF independent of the ids and offsets of its base, as the kernel's resolve_btfids
/// does with `--distill_base`: the loader finds the types of the distilled base by name and size in
/// the base that it has then. That may be another build of it, as long as these types are there.
///
/// `split` must have a base, of which all that it is split from is part. `needed` are ids that
/// something else than types refers to, such as a section `.BTF_ids`. `order` is the byte order of
/// `base_blob`. Errors: there is no base; a type refers to a function, a variable, a tag of a
/// declaration, or a type of an unknown kind of the base, which no loader could find, or to a
/// member of one of its structs; a type of `split` is of an unknown kind; a limit of
/// BtfBuilder::finish().
BPFLINK_API std::expected<DistilledBtf, Error> distill(const Btf& split, std::endian order,
                                                       std::span<const uint32_t> needed = {});

}  // namespace bpflink
