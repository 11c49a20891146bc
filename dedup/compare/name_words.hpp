// What the names of members and enumerators say, read as words: `ipaddr` does not contain `pad`.
//
// A word ends at an underscore, at a digit, and where the case changes: `__pad0`, `evMax` and
// `EV_MAX` have the words pad, ev max, ev max.
#pragma once

#include <string_view>

namespace bpflink {

/// Whether a member's name says that nobody reads it: it begins or ends with the word "pad" or
/// "padding", or has no other words than "reserved" and "unused" (`reserved_bytes` is a count).
/// So does a name without words, such as `_1`.
bool names_padding(std::string_view name);

/// Whether an enumerator's name says that it counts the others: it begins or ends with a word such
/// as "max" or "num".
bool names_count(std::string_view name);

}  // namespace bpflink
