// Why a type is in the output more than once.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/dedup.hpp"

namespace bpflink {

/// What a deduplication made, with the names of its inputs in order of addition.
struct Explainable {
  BtfView output;                            ///< the types that are left
  std::span<const TypeMap> type_maps;        ///< DedupResult::type_maps
  std::span<const std::string> input_names;  ///< as they were added
};

/// The types of one name that stayed apart, as text over several lines: each
/// definition as C with the inputs that it came from, and, for each but the
/// first, the first path of members on which it differs from the first, with the
/// types on both sides. Of a declaration that stayed one, the definitions that it could
/// have stood for.
///
/// `what` is "struct NAME", "union NAME", "enum NAME", "typedef NAME", "func NAME" or "var
/// NAME", or NAME alone, for all of these that there are. Errors: it is none of these; no input
/// has such a type.
BPFLINK_API std::expected<std::string, Error> explain(const Explainable& result,
                                                      std::string_view what);

/// A tag of C of which several definitions are left.
struct SplitTag {
  std::string name;          ///< "struct event"
  uint32_t definitions = 0;  ///< how many; declarations do not count
  /// What explain() says of the definitions; "" where comparing the tags before took a million
  /// types or four million letters.
  std::string difference;
};

/// The structs, unions and enums that have several definitions, in the order of their first one.
BPFLINK_API std::vector<SplitTag> find_split_tags(const Explainable& result);

}  // namespace bpflink
