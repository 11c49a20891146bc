// Distilling: split BTF gets a small base of its own.
//
// Split BTF refers to its base by type ids and string offsets. Another build of the base has other
// ids and offsets, but the same names. So the distilled base lists by name the base types that the
// split types need:
//
//   base   [1] INT int  [2] STRUCT task {...}  [3] PTR -> 2  [4] CONST -> 3  ...and 100,000 more
//   split  [90001] STRUCT event {[4] task, [1] id}
//
//   distilled base  [1] INT int  [2] STRUCT task, no members
//   split           [3] STRUCT event {[5] task, [1] id}  [4] PTR -> 2  [5] CONST -> 4
//
// A needed type that the loader finds by name goes into the distilled base; what it refers to is
// not needed. A type without a name (a pointer, a prototype, a struct without a tag), or of a kind
// that the loader does not look up (a typedef), becomes a split type, and what it refers to is
// needed in turn.
//
// The loader (btf_relocate() of the kernel and of libbpf) compares the sizes of structs that are
// members of split types, so sizes are kept. An ENUM matches an ENUM64 of its size, so all enums
// are written as ENUM. The loader refuses a distilled base with a string that names none of its
// types.
#include "bpflink/distill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dedup/format/builder.hpp"
#include "dedup/format/check_types.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/messages.hpp"
#include "dedup/sort_by_name.hpp"
#include "dedup/try.hpp"

namespace bpflink {

namespace {

/// What happens to a type of the base.
enum class Fate : uint8_t {
  Unneeded,
  Named,  ///< goes into the distilled base
  Copied  ///< becomes a split type
};

constexpr std::string_view cannot_distill = "of the base, which no distilled base can have";

/// What happens to a base type that is needed; `unneeded` if it cannot be distilled.
Fate fate_of(BtfType type) {
  constexpr KindSet looked_up{BtfKind::Int,   BtfKind::Float, BtfKind::Fwd,   BtfKind::Struct,
                              BtfKind::Union, BtfKind::Enum,  BtfKind::Enum64};
  BtfKind kind = type.kind();
  if (!is_known(kind) || is_of_program(kind)) return Fate::Unneeded;
  return looked_up.contains(kind) && type.name_off() != 0 ? Fate::Named : Fate::Copied;
}

class Distiller {
 public:
  Distiller(const Btf& split, std::endian order)
      : split_(split), order_(order), fates_(split.first_id()), ids_(split.end_id()) {}

  std::expected<DistilledBtf, Error> run(std::span<const uint32_t> needed) {
    for (uint32_t id : needed)
      if (!need(id)) return fail("{} {}", describe_type(split_, id), cannot_distill);
    TRY(walk());
    TRY(write_base());
    number();
    return write_split();
  }

 private:
  /// Notes that a type is needed. Returns false if it cannot be distilled.
  bool need(uint32_t id) {
    if (id == 0 || id >= split_.first_id() || fates_[id] != Fate::Unneeded) return true;
    fates_[id] = fate_of(split_.type(id));
    if (fates_[id] == Fate::Copied) copied_.push_back(id);
    return fates_[id] != Fate::Unneeded;
  }

  /// Notes the types that a kept type refers to.
  std::expected<void, Error> need_references(uint32_t id) {
    uint32_t missing = 0;
    for_each_reference(split_.type(id).words(), [&](uint32_t reference) {
      if (!need(reference)) missing = reference;
    });
    if (missing == 0) return {};
    return fail("{} refers to {} {}", describe_type(split_, id), describe_type(split_, missing),
                cannot_distill);
  }

  std::expected<void, Error> walk() {
    for (uint32_t id = split_.first_id(); id < split_.end_id(); ++id) {
      BtfType type = split_.type(id);
      if (!is_known(type.kind()))
        return fail("{} has unknown kind {}, which may refer to any type",
                    describe_type(split_, id), std::to_underlying(type.kind()));
      TRY(need_references(id));
      // A distilled struct has no members, so no tag can be about one.
      if (type.kind() == BtfKind::DeclTag && type.component_idx() >= 0 &&
          type.type() < split_.first_id() && fates_[type.type()] == Fate::Named)
        return fail("{} is for a member of {} of the base, which has no members when distilled",
                    describe_type(split_, id), describe_type(split_, type.type()));
    }
    for (size_t i = 0; i < copied_.size(); ++i) TRY(need_references(copied_[i]));
    return {};
  }

  /// Keeps the order of the base, so that a sorted base stays sorted.
  std::expected<void, Error> write_base() {
    BtfBuilder base;
    for (uint32_t id = 1; id < fates_.size(); ++id) {
      if (fates_[id] != Fate::Named) continue;
      BtfType type = split_.type(id);
      BtfKind kind = type.kind();
      uint32_t name = base.add_string(split_.name(type));
      if (kind == BtfKind::Int || kind == BtfKind::Float || kind == BtfKind::Fwd)
        ids_[id] = base.add_type(name, type.info(), type.size(), type.extra());
      else if (is_composite(kind))
        ids_[id] = base.add_type(name, BtfBuilder::info(BtfKind{kind}), type.size());
      else
        ids_[id] = base.add_type(name, BtfBuilder::info(BtfKind::Enum), type.size());
    }
    auto blob = TRY(base.finish(order_));
    base_blob_ = std::move(blob);
    auto btf = TRY(Btf::parse(base_blob_));
    base_ = std::make_unique<const Btf>(std::move(btf));
    return {};
  }

  /// Split types keep their order, on which lists of ids may depend. Copied types of the base
  /// follow in their order.
  void number() {
    for (uint32_t id = split_.first_id(); id < split_.end_id(); ++id) sources_.push_back(id);
    for (uint32_t id = 1; id < fates_.size(); ++id)
      if (fates_[id] == Fate::Copied) sources_.push_back(id);
    if (is_sorted_by_name(split_))
      sort_by_name(
          sources_, [&](uint32_t id) { return split_.type(id).name_off(); },
          [&](uint32_t offset) { return split_.string(offset); });
    uint32_t next = base_->end_id();
    for (uint32_t id : sources_) ids_[id] = next++;
  }

  DistilledBtf write_split() {
    BtfBuilder types(base_.get());
    types.set_layout({split_.layout().begin(), split_.layout().end()});
    for (uint32_t id : sources_) {
      if (split_.type(id).vlen() > max_classic_vlen) allow_wide_vlen(types);
      copy_type(types, split_, id, [&](uint32_t to) { return ids_[to]; });
    }
    return {std::move(base_blob_), std::move(base_), std::move(types), TypeMap(0, std::move(ids_))};
  }

  const Btf& split_;
  std::endian order_;
  std::vector<Fate> fates_;        ///< by id of the base
  std::vector<uint32_t> ids_;      ///< the new id by the old
  std::vector<uint32_t> copied_;   ///< base types whose references are needed in turn
  std::vector<uint32_t> sources_;  ///< the old ids of the new split types, in order
  std::vector<std::byte> base_blob_;
  std::unique_ptr<const Btf> base_;
};

}  // namespace

std::expected<DistilledBtf, Error> distill(const Btf& split, std::endian order,
                                           std::span<const uint32_t> needed) {
  if (split.base() == nullptr) return fail("is not split BTF: there is no base to distill");
  return Distiller(split, order).run(needed);
}

}  // namespace bpflink
