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

/// The result of a deduplication, with the names of its inputs.
struct Explainable {
  BtfView output;                            ///< DedupResult::types
  std::span<const TypeMap> type_maps;        ///< DedupResult::type_maps
  std::span<const std::string> input_names;  ///< in order of addition
};

/// Explains why types of one name stayed apart, as text over several lines: each definition as C
/// with its inputs and, for each but the first, the first path of members on which it differs from
/// the first, with the types on both sides. For a declaration that was not resolved, it lists the
/// definitions that it could stand for.
///
/// `what` is "struct NAME", "union NAME", "enum NAME", "typedef NAME", "func NAME", "var NAME", or
/// NAME alone for all of these. Errors: `what` is none of these; no input has such a type.
std::expected<std::string, Error> explain(const Explainable& result, std::string_view what);

/// A tag of C that has several definitions in the output.
struct SplitTag {
  std::string name;          ///< "struct event"
  uint32_t definitions = 0;  ///< how many, without declarations
  /// What explain() says of them; "" once earlier tags took a million compared types or four
  /// million characters.
  std::string difference;
};

/// The structs, unions and enums that have several definitions, in the order of the first one.
std::vector<SplitTag> find_split_tags(const Explainable& result);

}  // namespace bpflink
