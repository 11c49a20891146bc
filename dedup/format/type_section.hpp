// The types of a blob: finding where each begins, and checking them.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/error.hpp"

namespace bpflink {

/// Btf::parse() without the check that no type contains itself. The deduplicator checks that in its
/// output, where each type is there once.
std::expected<Btf, Error> parse_without_cycle_check(std::span<const std::byte> blob,
                                                    const Btf* base = nullptr);

/// A Btf that shows the same blob, which must outlive both.
Btf share(const Btf& btf);
/// A Btf with a copy of the types and strings, which does not need the blob.
Btf copy(const Btf& btf);
/// A copy that is split from `base`: ids and string offsets are moved behind those of the base. It
/// uses no type of the base. Errors: `btf` has types of unknown kinds, which may have ids to move;
/// there are too many bytes of strings.
std::expected<Btf, Error> split_off(const Btf& btf, const Btf& base);

/// One Btf without a base that has the types and strings of `base`, of all that it is split from,
/// and of `types`, which are split from it. All keep their ids and offsets. Errors: there are too
/// many bytes of strings.
std::expected<Btf, Error> join(const Btf& base, const BtfBuilder& types,
                               std::span<const BtfKindLayout> layout);

/// Finds where the types begin in the words of `btf`, and checks them. Errors: those of
/// Btf::parse() about types, except that one contains itself.
std::expected<void, Error> find_types(const Btf& btf);

/// A type that contains itself by value, or is a typedef of itself; or nothing. Every circle must
/// pass through a pointer or a function prototype. All ids must be in range.
std::optional<uint32_t> find_self_containing(const BtfView& types);

/// The error about such a type.
Error contains_itself(const std::string& type);

/// "type [12] STRUCT 'foo'", as messages begin.
std::string describe_type(const BtfView& types, uint32_t id);
std::string describe_type(uint32_t id, BtfKind kind, std::string_view name);

/// What the walk over the types of a blob collects for check_references().
struct TypeSummary {
  uint32_t largest_id = 0;                 ///< the largest type id in any type
  uint32_t largest_string = 0;             ///< the largest string offset in any type
  std::vector<uint32_t> with_constraints;  ///< ids of the FUNCs, DATASECs and DECL_TAGs
};

/// Checks that ids and string offsets are in range, and the types referred to by FUNCs, DATASECs
/// and DECL_TAGs. The error names the first type at fault. Part of find_types().
std::expected<void, Error> check_references(const BtfView& types, const TypeSummary& summary);

}  // namespace bpflink
