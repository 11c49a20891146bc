// Functions of Btf that are not public.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>

#include "bpflink/btf.hpp"

namespace bpflink {

/// Btf::parse() without the check that no type contains itself. The deduplicator checks that in its
/// output, where each type is there once.
std::expected<Btf, Error> parse_without_cycle_check(std::span<const std::byte> blob,
                                                    const Btf* base = nullptr);

/// A type that contains itself by value, or is a typedef of itself; or nothing. Every circle must
/// pass through a pointer or a function prototype. All ids must be in range.
std::optional<uint32_t> find_self_containing(const BtfView& types);
/// The error about such a type.
Error contains_itself(const std::string& type);

/// A Btf that shows the same blob, which must outlive both.
Btf share(const Btf& btf);
/// A Btf with a copy of the types and strings, which does not need the blob.
Btf copy(const Btf& btf);
/// A copy that is split from `base`: ids and string offsets are moved behind those of the base. It
/// uses no type of the base. Its strings are a copy, unless they are to be borrowed. Errors: `btf`
/// has types of unknown kinds, which may have ids to move; there are too many bytes of strings.
std::expected<Btf, Error> split_off(const Btf& btf, const Btf& base, bool borrow_strings);

/// One Btf without a base that has the types and strings of `types` and of all that they are split
/// from. All keep their ids and offsets. Errors: there are too many bytes of strings.
std::expected<Btf, Error> join(const BtfBuilder& types, std::span<const BtfKindLayout> layout);

}  // namespace bpflink
