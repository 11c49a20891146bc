// Finding and checking the types of a type section.
#pragma once

#include <boost/container/vector.hpp>
#include <cstdint>
#include <expected>
#include <functional>
#include <span>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/error.hpp"
#include "dedup/classes/zeroed_array.hpp"

namespace bpflink {

/// Words that need not be filled before they are written.
using TypeStarts = boost::container::vector<uint32_t>;

/// Gives an array a size without filling it.
inline void set_size_unfilled(TypeStarts& starts, size_t size) {
  starts.reserve(size);
  starts.resize(size, boost::container::default_init);
}

/// The words of a type section and where each type begins in them.
struct TypeSection {
  std::span<const uint32_t> words;
  TypeStarts starts;  ///< of each type from first_id on, and the end
  uint32_t first_id = 1;

  uint32_t end_id() const { return first_id + static_cast<uint32_t>(starts.size()) - 1; }
  BtfType at(uint32_t id) const {
    uint32_t i = id - first_id;
    return BtfType(words.subspan(starts[i], starts[i + 1] - starts[i]));
  }
};

/// The types of `btf` itself, without its base's.
const TypeSection& type_section(const Btf& btf);

/// How many words they have.
size_t count_words(const Btf& btf);

/// Gives back what `btf` needs for its types: for who has sorted them, and hardly ever asks
/// for them again. The first who does, and must be alone with it then, has them from
/// `read_again`, which returns a reading of the same blob, and gets the exceptions that it
/// throws. The blob may go; that of the reading must stay.
void forget_types(Btf& btf, std::function<Btf()> read_again);

/// Fills `types.starts` from `types.words` and checks all types, using up to
/// `threads` threads. `btf` is the blob that they are part of, with its strings
/// and its base in place.
std::expected<void, Error> index_types(const Btf& btf, TypeSection& types, unsigned threads);

/// Fills `types.starts` and checks no more than that takes.
std::expected<void, Error> find_types(const Btf& btf, TypeSection& types, unsigned threads);

/// Btf::parse() without the checks of what types refer to. Until somebody makes
/// up for that, any id or string offset in a type may be out of range.
std::expected<Btf, Error> parse_unchecked(std::span<const std::byte> blob, const Btf* base,
                                          unsigned threads);

/// Checks what a FUNC, DATASEC or DECL_TAG demands of the types that it refers
/// to. Its ids are in range.
std::expected<void, Error> check_demands(const Btf& btf, uint32_t id);

/// What index_types() found to be there, for the checks that need more than one
/// type at a time.
struct TypeSummary {
  uint32_t largest_id = 0;      ///< that any type refers to
  uint32_t largest_string = 0;  ///< string offset of any type
  /// Ids of the FUNCs, DATASECs and DECL_TAGs, which make demands on the types
  /// that they refer to.
  std::vector<uint32_t> demanding;
  /// By index: not 0 if the type is known to contain itself nowhere.
  ZeroedArray<uint8_t> sound;
  /// Ids of the other types.
  std::vector<uint32_t> doubtful;
};

/// "type [12] STRUCT 'foo'", as messages begin.
std::string describe_type(const Btf& btf, uint32_t id);

/// Checks ids, string offsets and the demands of single types, and words the
/// message about the first type at fault.
std::expected<void, Error> check_references(const Btf& btf, const TypeSection& types,
                                            const TypeSummary& summary);

/// Fails if a type contains itself by value, or names only itself: every cycle
/// must pass through a pointer or a function prototype. All ids have been checked.
std::expected<void, Error> check_cycles(const Btf& btf, const TypeSection& types,
                                        const TypeSummary& summary);

}  // namespace bpflink
