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

/// Btf::parse() without the check that no type contains itself: for who checks that later, where
/// each type is there once.
std::expected<Btf, Error> parse_but_for_containment(std::span<const std::byte> blob,
                                                    const Btf* base = nullptr);

/// A Btf that shows the same blob, which must outlive both.
Btf share(const Btf& btf);
/// A Btf with the same types and strings of its own, which needs no blob.
Btf copy(const Btf& btf);
/// The same, split from `base`, none of whose types it uses: ids and strings go on from the base's
/// end. Errors: `btf` has types of unknown kinds, whose ids nobody finds; there are too many
/// strings.
std::expected<Btf, Error> split_off(const Btf& btf, const Btf& base);

/// The types and strings of `base`, of all that it is split from, and of `types`, which are split
/// from it, as one blob without a base: all have the ids and offsets that they had. `layout` is the
/// layout section. Errors: the strings are too many.
std::expected<Btf, Error> join(const Btf& base, const BtfBuilder& types,
                               std::span<const BtfKindLayout> layout);

/// Finds the types in the words that `btf` shows and checks them; it shows them then. Errors: those
/// of Btf::parse() that are about types, but for that of one that contains itself.
std::expected<void, Error> find_types(const Btf& btf);

/// A type that contains itself by value, or names only itself: every circle must pass through a
/// pointer or a function prototype. Nothing where there is none. All ids are in range.
std::optional<uint32_t> find_self_containing(const BtfView& types);

/// The error about such a type.
Error contains_itself(const std::string& type);

/// "type [12] STRUCT 'foo'", as messages begin.
std::string describe_type(const BtfView& types, uint32_t id);
std::string describe_type(uint32_t id, BtfKind kind, std::string_view name);

/// What is largest in the types of a blob, and which of them make demands on others.
struct TypeSummary {
  uint32_t largest_id = 0;          ///< that any type refers to
  uint32_t largest_string = 0;      ///< string offset of any type
  std::vector<uint32_t> demanding;  ///< ids of the FUNCs, DATASECs and DECL_TAGs
};

/// Checks ids, string offsets and the demands of single types, and words the message about the
/// first type at fault. Part of find_types().
std::expected<void, Error> check_references(const BtfView& types, const TypeSummary& summary);

}  // namespace bpflink
