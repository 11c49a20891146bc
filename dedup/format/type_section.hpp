// The types of a blob: finding where each begins, and checking them.
#pragma once

#include <boost/container/vector.hpp>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/error.hpp"

namespace bpflink {

/// The words of a type section and where each type begins in them.
struct TypeSection {
  std::span<const uint32_t> words;
  std::span<const uint32_t> starts;  ///< of each type from first_id on, and the end
  uint32_t first_id = 1;
  std::span<const uint32_t> objects = {};  ///< ids of the objects (is_object()), in order

  uint32_t end_id() const { return first_id + static_cast<uint32_t>(starts.size()) - 1; }
  /// The first word of a type.
  const uint32_t* first_word(uint32_t id) const { return words.data() + starts[id - first_id]; }
  std::span<const uint32_t> words_of(uint32_t id) const {
    uint32_t i = id - first_id;
    return words.subspan(starts[i], starts[i + 1] - starts[i]);
  }
};

/// The types of `btf` itself, without its base's.
const TypeSection& type_section(const Btf& btf);

/// The types added to a builder so far. Valid until the next addition.
TypeSection type_section(const BtfBuilder& types);

/// Btf::parse() without the check that no type contains itself: for who checks that later, where
/// each type is there once.
std::expected<Btf, Error> parse_but_for_containment(std::span<const std::byte> blob,
                                                    const Btf* base = nullptr,
                                                    unsigned threads = 1);

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
                               std::span<const BtfKindLayout> layout, unsigned threads);

/// What is found in the words of a type section, and what TypeSection shows of it.
struct FoundTypes {
  boost::container::vector<uint32_t> starts;
  std::vector<uint32_t> objects;

  TypeSection show(std::span<const uint32_t> words, uint32_t first_id) const {
    return {words, {starts.data(), starts.size()}, first_id, objects};
  }
};

/// Finds the types in `types.words` and checks them, with so many workers. `types` are those of
/// `btf`, which has its strings and its base; they show what was `found` then. Errors: those of
/// Btf::parse() that are about types, but for that of one that contains itself.
std::expected<void, Error> find_types(const Btf& btf, TypeSection& types, FoundTypes& found,
                                      unsigned workers);

/// A type that contains itself by value, or names only itself: every circle must pass through a
/// pointer or a function prototype. Nothing where there is none. All ids are in range.
std::optional<uint32_t> find_self_containing(const TypeSection& types);

/// The error about such a type.
Error contains_itself(const std::string& type);

/// "type [12] STRUCT 'foo'", as messages begin.
std::string describe_type(const Btf& btf, uint32_t id);
std::string describe_type(uint32_t id, BtfKind kind, std::string_view name);

/// What is largest in the types of a blob, and which of them make demands on others.
struct TypeSummary {
  uint32_t largest_id = 0;          ///< that any type refers to
  uint32_t largest_string = 0;      ///< string offset of any type
  std::vector<uint32_t> demanding;  ///< ids of the FUNCs, DATASECs and DECL_TAGs
  std::vector<uint32_t> objects;    ///< ids of the objects
};

/// Checks ids, string offsets and the demands of single types, and words the message about the
/// first type at fault. Part of find_types().
std::expected<void, Error> check_references(const Btf& btf, const TypeSection& types,
                                            const TypeSummary& summary);

}  // namespace bpflink
